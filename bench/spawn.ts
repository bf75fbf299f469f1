import { Api, follow, type Instance, isType } from '@filepath/testkit';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { percentile, wallMs } from './statistics.ts';

/** What CLI agents are: a program on Node, or where the system has none, on Python. Both are seen in the sandbox. */
export function agentCommand(): string[] {
  const line = '{"type":"text","content":"first"}';
  return existsSync('/usr/bin/node')
    ? ['/usr/bin/node', '-e', `console.log('${line}')`]
    : ['python3', '-c', `print('${line}', flush=True)`];
}

/** From starting the command to its first line, without anything of ours. */
export async function bareStarts(times: number): Promise<number> {
  const [program = '', ...args] = agentCommand();
  const out: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const started = wallMs();
    // The little environment that an agent has: what a shell exports may slow a program down.
    const env = { PATH: '/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8' };
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    out.push(wallMs() - started);
    await ended;
  }
  return percentile(out, 50);
}

/** From the message to the agent's first event at a viewer: stored, ordered, sandboxed, started, relayed. */
export async function ourStarts(instance: Instance, times: number): Promise<number> {
  const api = new Api(instance);
  const out: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const { session, node } = await api.agent(agentCommand());
    const feed = follow(instance, node.id);
    await feed.live;
    const started = wallMs();
    await api.message(node.id, 'go');
    await feed.until((event) => event.source === 'fap');
    out.push(wallMs() - started);
    await feed.until(isType('exit'));
    feed.close();
    await api.call('DELETE', `/api/session/${session.id}`);
  }
  return percentile(out, 50);
}
