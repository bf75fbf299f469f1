import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type AgentEvent, type AgentInput, CATALOG, parseAgentLine } from '@filepath/protocol';
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
  tempDir,
} from '@filepath/testkit';
import { onTestFinished } from 'vitest';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

/** A model's name for each format. */
export const MODELS = {
  anthropic: 'claude-test',
  'openai-chat': 'llama-test',
  'openai-responses': 'gpt-test',
} as const;

export type Place = { readonly workspace: string; readonly home: string };

export function place(): Place {
  const dir = tempDir('filepath-native');
  onTestFinished(() => dir.remove());
  const made = { workspace: join(dir.path, 'workspace'), home: join(dir.path, 'home') };
  for (const path of Object.values(made)) mkdirSync(path);
  return made;
}

export async function serve(options: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(options);
  onTestFinished(() => server.close());
  return server;
}

export type NativeAgent = {
  readonly events: AgentEvent[];
  say(content: string, from?: 'user' | 'system'): void;
  send(input: AgentInput): void;
  /** Resolves when everything that was sent has been read. */
  hasRead(): Promise<void>;
  endInput(): void;
  /** The first event that fits, from now or before. */
  heard(fits: (event: AgentEvent) => boolean): Promise<AgentEvent>;
  kill(signal: NodeJS.Signals): void;
  readonly exit: Promise<number | null>;
};

/** Shelley or Pi as the runner starts them: a process that speaks FAP. */
export function startAgent(
  server: Pick<ModelServer, 'url'>,
  { workspace, home }: Place,
  options: {
    readonly type?: 'shelley' | 'pi';
    readonly model?: string;
    readonly env?: Record<string, string>;
  } = {},
): NativeAgent {
  const { type = 'shelley', model = MODELS.anthropic, env = {} } = options;
  const child = spawn(process.execPath, [MAIN], {
    cwd: workspace,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      LANG: 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM: '1',
      FILEPATH_AGENT: JSON.stringify(CATALOG.find((entry) => entry.type === type)),
      FILEPATH_MODEL: model,
      FILEPATH_BASE_URL: `${server.url}/gateway`,
      FILEPATH_API_KEY: 'fpk_test',
      ...env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return follow(child);
}

function follow(child: ChildProcess): NativeAgent {
  const events: AgentEvent[] = [];
  const waiting = new Set<() => void>();
  const exit = once(child, 'close').then(([code]: unknown[]) => code as number | null);
  if (!child.stdout || !child.stdin) throw new Error('the agent has no stdio');
  const { stdin } = child;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const parsed = parseAgentLine(line);
    if (!parsed.ok) throw new Error(`no FAP: ${parsed.reason}: ${line.slice(0, 200)}`);
    events.push(parsed.event);
    for (const look of waiting) look();
  });
  const send = (input: AgentInput) => void stdin.write(`${JSON.stringify(input)}\n`);
  const heard: NativeAgent['heard'] = (fits) => {
    const { promise, resolve, reject } = Promise.withResolvers<AgentEvent>();
    const look = () => {
      const found = events.find(fits);
      if (found) resolve(found);
    };
    waiting.add(look);
    look();
    void exit.then((code) =>
      reject(new Error(`the agent ended with ${code}; its last: ${JSON.stringify(events.at(-1))}`)),
    );
    return promise.finally(() => waiting.delete(look));
  };
  return {
    events,
    send,
    say: (content, from = 'user') => send({ type: 'message', from, content }),
    async hasRead() {
      const before = of(events, 'log').length;
      // What is no input is answered, after all that came before it.
      stdin.write('no input\n');
      await heard(() => of(events, 'log').length > before);
    },
    endInput: () => void stdin.end(),
    kill: (signal) => void child.kill(signal),
    exit,
    heard,
  };
}

export function isEnd(event: AgentEvent): boolean {
  if (event.type === 'done' || event.type === 'handoff') return true;
  return event.type === 'status' && (event.state === 'error' || event.state === 'idle');
}

export function of<Type extends AgentEvent['type']>(
  events: readonly AgentEvent[],
  type: Type,
): Extract<AgentEvent, { type: Type }>[] {
  return events.filter(
    (event): event is Extract<AgentEvent, { type: Type }> => event.type === type,
  );
}
