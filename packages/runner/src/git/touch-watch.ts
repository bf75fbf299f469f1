import type { ThreadId, Touched } from '@filepath/protocol';
import type { Agent } from '../agents.ts';
import { Refusal } from '../executor/executor.ts';

/** What comes in a row is looked at once. */
const SOON_MS = 300;
/** Least time from the end of a look at an agent to the next, by what happened. */
const REST_MS = {
  /** Its HEAD moved, a run or its process ended, it was merged. */
  moved: 1_000,
  /** It did something while it works. */
  acted: 5_000,
} as const;
/** The same in parts of what the last look took: large workspaces are looked at less often. */
const REST_PARTS = 4;

type Happened = keyof typeof REST_MS;

export type TouchContext = {
  look(agent: Agent, signal: AbortSignal): Promise<Touched>;
  /** Whether the agent is still here. */
  isHere(agent: Agent): boolean;
  /** Whether there is anything to look at: a look costs a sandbox. */
  hasRepository(agent: Agent): boolean;
  tell(thread: ThreadId, touched: Touched): void;
  failed(agent: Agent, error: unknown): void;
};

type Looked = { ended: number; took: number };

/**
 * Tells which lines agents have changed, soon after something happened. One workspace is looked at at a time, and one
 * agent's now and then only. What was told last is told again on a new connection.
 */
export class TouchWatch {
  readonly #context: TouchContext;
  readonly #timers = new Map<Agent, { at: number; timer: NodeJS.Timeout }>();
  /** Those whose turn comes: what happens until then is seen by that look. */
  readonly #queued = new Set<Agent>();
  #looking: Agent | null = null;
  /** What happened while its workspace was being looked at. */
  #meanwhile: Happened | null = null;
  readonly #looked = new WeakMap<Agent, Looked>();
  readonly #told = new Map<ThreadId, Touched>();
  readonly #closing = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(context: TouchContext) {
    this.#context = context;
  }

  happened(agent: Agent, what: Happened): void {
    if (this.#closing.signal.aborted || this.#queued.has(agent)) return;
    if (this.#looking === agent) {
      if (this.#meanwhile !== 'moved') this.#meanwhile = what;
      return;
    }
    const at = this.#due(agent, what);
    const waiting = this.#timers.get(agent);
    if (waiting !== undefined && waiting.at <= at) return;
    clearTimeout(waiting?.timer);
    const timer = setTimeout(() => {
      this.#timers.delete(agent);
      this.#queued.add(agent);
      this.#work = this.#work.then(() => this.#turn(agent));
    }, at - Date.now());
    this.#timers.set(agent, { at, timer });
  }

  tellAll(): void {
    for (const [thread, touched] of this.#told) this.#context.tell(thread, touched);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    await this.#work;
  }

  #due(agent: Agent, what: Happened): number {
    const soon = Date.now() + SOON_MS;
    const last = this.#looked.get(agent);
    if (last === undefined) return soon;
    return Math.max(soon, last.ended + Math.max(REST_MS[what], REST_PARTS * last.took));
  }

  async #turn(agent: Agent): Promise<void> {
    this.#queued.delete(agent);
    if (this.#closing.signal.aborted || !this.#context.isHere(agent)) return;
    this.#looking = agent;
    const began = Date.now();
    await this.#look(agent);
    this.#looked.set(agent, { ended: Date.now(), took: Date.now() - began });
    this.#looking = null;
    const meanwhile = this.#meanwhile;
    this.#meanwhile = null;
    if (meanwhile !== null) this.happened(agent, meanwhile);
  }

  async #look(agent: Agent): Promise<void> {
    const { signal } = this.#closing;
    try {
      if (!this.#context.hasRepository(agent)) return;
      const touched = await this.#context.look(agent, signal);
      if (!this.#context.isHere(agent)) return void this.#told.delete(agent.thread);
      this.#told.set(agent.thread, touched);
      this.#context.tell(agent.thread, touched);
    } catch (error) {
      // A workspace without a commit has nothing to tell.
      if (!signal.aborted && !(error instanceof Refusal)) this.#context.failed(agent, error);
    }
  }
}
