import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSessionId, newThreadId, RunnerId, type StartOrder } from '@filepath/protocol';
import { afterEach, vi } from 'vitest';
import { type Runner, type RunnerLog, type RunnerOptions, startRunner } from '../src/index.ts';
import { isAlive, parseProcessId, signal } from '../src/proc.ts';
import { FakeWorker, PATIENCE_MS, TOKEN } from './fake-worker.ts';
import { removeGroups } from './groups.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
export const later = (cleanup: () => unknown): void => void cleanups.push(cleanup);

export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'filepath-test-'));
  // What was killed may still be writing.
  later(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

export class Bench {
  readonly home: string;
  readonly logs: RunnerLog[] = [];
  readonly worker: FakeWorker;
  runner: Runner | null = null;

  private constructor(worker: FakeWorker, home: string) {
    this.worker = worker;
    this.home = home;
    later(() => this.#clean());
  }

  /** A worker and a home; a runner too unless told otherwise. */
  static async open(options: Partial<RunnerOptions> & { idle?: true } = {}): Promise<Bench> {
    const bench = new Bench(await FakeWorker.start(), options.home ?? tempDir());
    if (options.idle !== true) await bench.start(options);
    return bench;
  }

  async start(options: Partial<RunnerOptions> = {}): Promise<Runner> {
    this.runner = await startRunner({
      home: this.home,
      url: this.worker.url,
      token: TOKEN,
      id: RunnerId.parse('rn_local'),
      log: (event) => this.logs.push(event),
      reconnectMs: 20,
      ...options,
    });
    return this.runner;
  }

  /** Resolves when the runner has logged this about the order's thread. */
  async logged(order: StartOrder, event: RunnerLog['event']): Promise<RunnerLog> {
    return vi.waitFor(
      () => {
        const found = this.logs.find((log) => log.thread === order.thread && log.event === event);
        if (found === undefined)
          throw new Error(`${event} not logged: ${JSON.stringify(this.logs)}`);
        return found;
      },
      { timeout: PATIENCE_MS, interval: 10 },
    );
  }

  async stop(): Promise<void> {
    await this.runner?.stop();
    this.runner = null;
  }

  agentDir(order: StartOrder): string {
    return join(this.home, 'agents', order.slug);
  }
  runFile(order: StartOrder, name: string): string {
    return join(this.agentDir(order), 'run', String(order.epoch), name);
  }
  shim(order: StartOrder): { pid: number; alive(): boolean } {
    const id = parseProcessId(readFileSync(this.runFile(order, 'pid'), 'utf8'));
    if (id === null) throw new Error('no process id');
    return { pid: id.pid, alive: () => isAlive(id) };
  }

  async #clean(): Promise<void> {
    await this.stop();
    await this.worker.close();
    for (const pid of processesOf(this.home)) signal(pid, 'SIGKILL');
    await removeGroups(this.home);
  }
}

/** Processes whose command line names this home: shims and what they start before the sandbox. */
export function processesOf(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(home);
      } catch {
        return false;
      }
    });
}

/** An order for an agent that is a shell script. */
export function shellOrder(script: string, more: Partial<StartOrder> = {}): StartOrder {
  return {
    kind: 'start',
    thread: newThreadId(),
    session: newSessionId(),
    epoch: 1,
    slug: `agent-${Math.random().toString(36).slice(2, 10)}`,
    agentType: 'custom',
    model: 'offline/demo',
    config: { command: ['sh', '-c', script] },
    apiKey: 'fpk_test_key_value',
    task: 'do it',
    gitRepoUrl: null,
    inputs: [],
    ...more,
  };
}

export const message = (content: string): string =>
  JSON.stringify({ type: 'message', from: 'user', content });

/** A runner in a process of its own, to be killed. */
export function runnerProcess(
  bench: Bench,
  prefix: string[] = [],
  path: (file: string) => string = (file) => file,
): { kill(): Promise<void>; pid: number } {
  const [file, ...args] = [
    ...prefix,
    path(process.execPath),
    path(join(import.meta.dirname, 'runner-process.ts')),
    bench.home,
    bench.worker.url,
  ];
  const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  later(kill);
  return { kill, pid: child.pid ?? 0 };
}
