import { Api, follow, type Instance, isType } from '@filepath/testkit';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { wallMs } from './statistics.ts';

/** The program of `agentCommand`, for an image. */
export const agentProgram = (): string => (existsSync('/usr/bin/node') ? 'node' : 'python3');

/** What CLI agents are: a program on Node, or where the system has none, on Python. Both are seen in the sandbox. */
function agentCommand(): string[] {
  const line = '{"type":"text","content":"first"}';
  return existsSync('/usr/bin/node')
    ? ['/usr/bin/node', '-e', `console.log('${line}')`]
    : ['python3', '-c', `print('${line}', flush=True)`];
}

export type Starts = {
  /** Without anything of ours. */
  bare: number[];
  sandbox: number[];
  /** Null where there is no engine. */
  container: number[] | null;
};

/** Milliseconds to the first line, one of each kind in turn, so that what else the machine does meets all alike. */
export async function starts(
  instance: Instance,
  times: number,
  image: string | null,
): Promise<Starts> {
  const out: Starts = { bare: [], sandbox: [], container: image === null ? null : [] };
  for (let i = 0; i < times; i += 1) {
    out.bare.push(await bareStart());
    out.sandbox.push(await ourStart(instance, {}));
    if (image !== null) out.container?.push(await ourStart(instance, { image }));
  }
  return out;
}

/** From starting the command to its first line. */
async function bareStart(): Promise<number> {
  const [program = '', ...args] = agentCommand();
  const started = wallMs();
  // The little environment that an agent has: what a shell exports may slow a program down.
  const env = { PATH: '/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8' };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const took = wallMs() - started;
  await ended;
  return took;
}

/** From the message to the agent's first event at a viewer: stored, ordered, confined, started, relayed. */
async function ourStart(instance: Instance, config: Record<string, unknown>): Promise<number> {
  const api = new Api(instance);
  const { session, node } = await api.agent(agentCommand(), { config });
  const feed = follow(instance, node.id);
  await feed.live;
  const started = wallMs();
  await api.message(node.id, 'go');
  await feed.until((event) => event.source === 'fap');
  const took = wallMs() - started;
  await feed.until(isType('exit'));
  feed.close();
  await api.call('DELETE', `/api/session/${session.id}`);
  return took;
}
