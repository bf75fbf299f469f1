import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type AgentEntry, type AgentInput, AgentEvent } from '@filepath/protocol';
import type { PlayedAgent } from './clis/scenarios.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const PATIENCE_MS = 100_000;

export type AgentSetting = {
  readonly entry: AgentEntry;
  readonly cwd: string;
  readonly env: Record<string, string>;
};

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}

/** The agents' own program, as the runner starts it, without a sandbox. A message to one that has ended starts it again. */
export class AgentProcess implements PlayedAgent {
  #setting: AgentSetting;
  #child: ChildProcessByStdio<Writable, Readable, null> | null = null;
  #events: AgentEvent[] = [];
  #seen = 0;
  #waiting = new Set<() => void>();
  #exits: (number | null)[] = [];

  constructor(setting: AgentSetting) {
    this.#setting = setting;
  }

  readonly events = (): readonly AgentEvent[] => this.#events;

  get exits(): readonly (number | null)[] {
    return this.#exits;
  }

  readonly say = (content: string): Promise<void> =>
    this.#write({ type: 'message', from: 'user', content });
  /** What the worker says. */
  readonly tell = (content: string): Promise<void> =>
    this.#write({ type: 'message', from: 'system', content });
  /** What a gate that did not pass says. */
  readonly wake = (content: string): Promise<void> =>
    this.#write({ type: 'message', from: 'system', wake: true, content });
  readonly stop = (): Promise<void> => this.#write({ type: 'signal', action: 'stop' });
  readonly handOff = (): Promise<void> => this.#write({ type: 'signal', action: 'handoff' });
  readonly decide = (id: string, choice: string): Promise<void> =>
    this.#write({ type: 'decision', id, choice });

  readonly until = async (
    fits: (event: AgentEvent) => boolean,
    what: string,
  ): Promise<AgentEvent> => {
    const deadline = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      while (this.#seen < this.#events.length) {
        const event = this.#events[this.#seen++];
        if (event && fits(event)) return event;
        if (event?.type === 'status' && event.state === 'error') throw this.#missed(what);
      }
      await this.#more(deadline, what);
    }
  };

  readonly kill = async (): Promise<void> => {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const exited = once(child, 'close');
    // The CLI has a group of its own.
    for (const pid of [child.pid, ...childrenOf(child.pid)]) killGroup(pid);
    await exited;
  };

  readonly ended = async (): Promise<void> => {
    if (this.#child) await once(this.#child, 'close');
  };

  /** No more inputs: it ends when its turn has. */
  async end(): Promise<void> {
    this.#child?.stdin.end();
    await this.ended();
  }

  async #write(input: AgentInput): Promise<void> {
    if (this.#handedOff) await this.ended();
    this.#child ??= this.#start();
    this.#child.stdin.write(`${JSON.stringify(input)}\n`);
  }

  /** It ends after its handoff, and the next process is told that it is a fresh one. */
  get #handedOff(): boolean {
    return this.#events.at(-1)?.type === 'handoff';
  }

  #start(): ChildProcessByStdio<Writable, Readable, null> {
    const { entry, cwd, env } = this.#setting;
    const child = spawn(process.execPath, [MAIN], {
      cwd,
      env: {
        ...env,
        FILEPATH_AGENT: JSON.stringify(entry),
        ...(this.#handedOff && { FILEPATH_FRESH: '1' }),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#events.push(AgentEvent.parse(JSON.parse(line)));
      this.#wake();
    });
    child.once('close', (code) => {
      this.#exits.push(code);
      this.#child = null;
      this.#wake();
    });
    return child;
  }

  #missed(what: string): Error {
    const said = this.#events.map((event) => JSON.stringify(event)).join('\n');
    return new Error(`${what} did not come; the agent said:\n${said}`);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  async #more(deadline: AbortSignal, what: string): Promise<void> {
    const heard = new Promise<void>((resolve) => this.#waiting.add(resolve));
    const late = new Promise<never>((_resolve, reject) => {
      deadline.addEventListener('abort', () => {
        reject(this.#missed(what));
      });
    });
    await Promise.race([heard, late]);
  }
}
