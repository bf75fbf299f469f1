import type { ThreadId, Touched } from '@filepath/protocol';
import type { Agent } from '../agents.ts';
import { Refusal } from '../executor/executor.ts';

/** Commits that follow on each other are looked at once. */
const SOON_MS = 300;

export type TouchContext = {
  look(agent: Agent, signal: AbortSignal): Promise<Touched>;
  /** Whether the agent is still here. */
  isHere(agent: Agent): boolean;
  tell(thread: ThreadId, touched: Touched): void;
  failed(agent: Agent, error: unknown): void;
};

/**
 * Tells which lines agents have changed, soon after something moved. One workspace is looked at at a time. What was told
 * last is told again on a new connection.
 */
export class TouchWatch {
  readonly #context: TouchContext;
  readonly #timers = new Map<Agent, NodeJS.Timeout>();
  readonly #told = new Map<ThreadId, Touched>();
  readonly #closing = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(context: TouchContext) {
    this.#context = context;
  }

  moved(agent: Agent): void {
    if (this.#closing.signal.aborted || this.#timers.has(agent)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(agent);
      this.#work = this.#work.then(() => this.#look(agent));
    }, SOON_MS);
    this.#timers.set(agent, timer);
  }

  tellAll(): void {
    for (const [thread, touched] of this.#told) this.#context.tell(thread, touched);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.#work;
  }

  async #look(agent: Agent): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted || !this.#context.isHere(agent)) return;
    try {
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
