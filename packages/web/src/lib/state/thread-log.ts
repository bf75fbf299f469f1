import {
  advance,
  type Block,
  BlockReducer,
  INITIAL,
  type Lifecycle,
  type LogEvent,
  type QueuedMessage,
  type ThreadRun,
  type ThreadTail,
} from '@filepath/protocol';

/** Events that are read at a stretch: a few milliseconds. */
const SLICE = 100;

/**
 * The part of a log that was read, from its end backwards, and what it shows. What comes before is read by another
 * reducer, from the beginning of the part on, since an event may belong to a block that began earlier.
 */
export class ThreadLog {
  lifecycle: Lifecycle = INITIAL;
  /** What to ask for next; null where the log begins. */
  before: number | null = null;
  #events: LogEvent[] = [];
  #reducer = new BlockReducer();
  #runs: ThreadRun[] = [];
  #queue: readonly QueuedMessage[] = [];

  get blocks(): readonly Block[] {
    return this.#reducer.blocks;
  }

  /** In their order; another array when one of them has changed. */
  get runs(): readonly ThreadRun[] {
    return this.#runs;
  }

  get first(): number {
    return this.#events[0]?.seq ?? 0;
  }

  get last(): number {
    return this.#events.at(-1)?.seq ?? 0;
  }

  get size(): number {
    return this.#events.length;
  }

  open({ events, before, runs, now }: ThreadTail): void {
    this.before = before;
    this.#runs = runs;
    this.lifecycle = now?.lifecycle ?? INITIAL;
    this.#queue = now?.queue ?? [];
    this.#events = [...events];
    this.#reducer = this.#begun(events[0]?.seq ?? 0);
    this.#reducer.push(events);
  }

  /** What is new at the end. */
  take(events: readonly LogEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.last) continue;
      this.#events.push(event);
      this.#follow(event);
    }
    this.#reducer.push(events);
  }

  draft(id: string, content: string): void {
    this.#reducer.draft(id, content);
  }

  delta(id: string, delta: string): void {
    this.#reducer.delta(id, delta);
  }

  /** What comes before. It takes a breath between stretches, and what is new meanwhile is not lost. */
  async prepend({ events, before, runs }: ThreadTail, breathe: () => Promise<void>): Promise<void> {
    await this.#rebuild(events, breathe);
    this.before = before;
    this.know(runs);
  }

  /** Gives up all but the last events. */
  async forget(keep: number, breathe: () => Promise<void>): Promise<void> {
    const first = this.#events[this.#events.length - keep]?.seq;
    if (first === undefined) return;
    this.#queue = this.#waiting();
    this.#events = this.#events.slice(-keep);
    await this.#rebuild([], breathe);
    this.before = first;
    this.#runs = this.#runs.filter(({ to }) => to === null || to >= first);
  }

  /** What the worker knows of runs takes the place of what was seen of them. */
  know(runs: readonly ThreadRun[]): void {
    const byId = new Map(this.#runs.map((run) => [run.run, run]));
    for (const run of runs) {
      // A page that was read before the run ended does not open it again.
      if (run.to === null && (byId.get(run.run)?.to ?? null) !== null) continue;
      byId.set(run.run, run);
    }
    this.#runs = [...byId.values()].toSorted((a, b) => a.from - b.from);
  }

  async #rebuild(older: readonly LogEvent[], breathe: () => Promise<void>): Promise<void> {
    const next = this.#begun(older[0]?.seq ?? this.first);
    for (let at = 0; at < older.length; at += SLICE) {
      next.push(older.slice(at, at + SLICE));
      await breathe();
    }
    for (let at = 0; at < this.#events.length; at += SLICE) {
      if (at > 0) await breathe();
      next.push(this.#events.slice(at, at + SLICE));
    }
    next.continueDraftsOf(this.#reducer);
    this.#events = [...older, ...this.#events];
    this.#reducer = next;
  }

  #begun(first: number): BlockReducer {
    const reducer = new BlockReducer();
    const state = this.lifecycle.stopped ? 'standing' : 'waiting';
    const earlier = this.#queue.filter(({ seq }) => seq < first || first === 0);
    if (earlier.length > 0) reducer.waiting(earlier, state);
    return reducer;
  }

  #waiting(): QueuedMessage[] {
    return this.blocks.flatMap((block) => {
      if (block.kind !== 'queued') return [];
      const { seq, at, content, attachments } = block;
      const id = block.message as QueuedMessage['id'];
      return [{ id, seq, at, content, ...(attachments && { attachments: [...attachments] }) }];
    });
  }

  #follow(event: LogEvent): void {
    const { next, closes, opens, supersedes } = advance(this.lifecycle, event);
    this.lifecycle = next;
    if (supersedes) this.#end(event.seq - 1);
    if (opens && event.run !== null) {
      const number = (this.#runs.at(-1)?.number ?? 0) + 1;
      const run = { run: event.run, number, from: event.seq, to: null, receipt: null };
      this.#runs = [...this.#runs, run];
    }
    if (closes !== null) this.#end(event.seq);
  }

  #end(to: number): void {
    this.#runs = this.#runs.map((run) => (run.to === null ? { ...run, to } : run));
  }
}
