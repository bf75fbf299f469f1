import type { FeedState, Following } from '@filepath/client';
import { FilepathError } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { ThreadLog } from './thread-log.ts';

/** Events of the end of a log, with which a thread opens, and of each page before it. */
const FIRST = 200;
const PAGE = 500;
/** A log that is followed for long gives up its beginning: above the one, down to the other. */
const MOST = 20_000;
const KEPT = 4000;
const AGAIN_MS = [500, 1000, 2000, 5000, 10_000] as const;

export type Earlier = 'none' | 'more' | 'loading' | 'failed';

type Told = { onchange: () => void; onfail: (error: unknown) => void };

/** Reads one thread: its end first, then what is new, and what is earlier when it is asked for. */
export class ThreadSource {
  readonly log = new ThreadLog();
  state = $state<FeedState>('connecting');
  /** The end of the log is there. */
  opened = $state(false);
  /** Why it could not be opened; it is tried again. */
  failure = $state<string | null>(null);
  earlier = $state<Earlier>('none');
  /** Resolves when it is opened. */
  readonly ready: Promise<void>;
  readonly #opened = Promise.withResolvers<void>();
  readonly #id: string;
  readonly #told: Told;
  readonly #abort = new AbortController();
  readonly #asked = new Set<string>();
  #following: Following | null = null;
  #loading: Promise<void> | null = null;
  #again: ReturnType<typeof setTimeout> | null = null;
  #tries = 0;

  constructor(id: string, told: Told) {
    this.#id = id;
    this.#told = told;
    this.ready = this.#opened.promise;
    window.addEventListener('online', this.retry);
    void this.#open();
  }

  close(): void {
    window.removeEventListener('online', this.retry);
    if (this.#again !== null) clearTimeout(this.#again);
    this.#abort.abort();
    this.#following?.close();
  }

  /** Now, and not when it is time again. */
  readonly retry = (): void => {
    if (this.#again === null) return;
    clearTimeout(this.#again);
    this.#again = null;
    void this.#open();
  };

  /** One page of what is earlier. */
  older(): Promise<void> {
    if (this.log.before === null || !this.opened) return Promise.resolve();
    this.#loading ??= this.#older(this.log.before).finally(() => (this.#loading = null));
    return this.#loading;
  }

  /** Everything from this seq on. */
  async reach(seq: number): Promise<void> {
    while (this.log.first > seq && this.log.before !== null && this.earlier !== 'failed')
      await this.older();
  }

  /** Nobody looks at what is earlier. */
  rest(): void {
    if (this.log.size <= MOST || this.#loading !== null) return;
    this.#loading = this.log
      .forget(KEPT, breath)
      .then(() => {
        this.#measureEarlier();
        this.#changed();
      })
      .finally(() => (this.#loading = null));
  }

  async #open(): Promise<void> {
    try {
      const tail = await client.thread.tail(this.#id, { limit: FIRST, signal: this.#abort.signal });
      this.log.open(tail);
    } catch (error) {
      return this.#closed(error);
    }
    this.failure = null;
    this.#measureEarlier();
    this.#changed();
    this.opened = true;
    this.#opened.resolve();
    this.#following = this.#follow();
    await this.#questions();
  }

  #follow(): Following {
    const { log } = this;
    return client.followThread(this.#id, {
      after: log.last,
      onEvents: (events) => {
        log.take(events);
        this.#changed();
      },
      onDraft: (id, content) => {
        log.draft(id, content);
        this.#told.onchange();
      },
      onDelta: (id, delta) => {
        log.delta(id, delta);
        this.#told.onchange();
      },
      onState: (state, error) => {
        this.state = state;
        if (error) this.#told.onfail(error);
      },
    });
  }

  async #closed(error: unknown): Promise<void> {
    if (this.#abort.signal.aborted) return;
    const code = error instanceof FilepathError ? error.code : null;
    if (code === 'not_found' || code === 'unauthenticated') {
      this.state = 'gone';
      return this.#told.onfail(error);
    }
    this.state = 'offline';
    this.failure = await problemOf(error);
    const wait = AGAIN_MS[Math.min(this.#tries, AGAIN_MS.length - 1)];
    this.#tries += 1;
    this.#again = setTimeout(this.retry, wait);
  }

  async #older(before: number): Promise<void> {
    this.earlier = 'loading';
    try {
      const page = { before, limit: PAGE, signal: this.#abort.signal };
      await this.log.prepend(await client.thread.tail(this.#id, page), breath);
    } catch {
      if (!this.#abort.signal.aborted) this.earlier = 'failed';
      return;
    }
    this.#measureEarlier();
    this.#changed();
  }

  #measureEarlier(): void {
    this.earlier = this.log.before === null ? 'none' : 'more';
  }

  /** What waits for a person's answer is read, however early it was asked. */
  async #questions(): Promise<void> {
    const isShown = (id: string): boolean =>
      this.log.blocks.some((block) => block.kind === 'decision' && block.decision === id);
    while (this.log.before !== null && !this.#abort.signal.aborted) {
      if (this.log.lifecycle.questions.every(isShown)) return;
      await this.older();
      if (this.earlier === 'failed') return;
    }
  }

  #changed(): void {
    for (const { run, to, receipt } of this.log.runs) {
      if (to === null || receipt !== null || this.#asked.has(run)) continue;
      this.#asked.add(run);
      void this.#receipt(to);
    }
    this.#told.onchange();
  }

  /** The worker has stored it with the event that ended the run. A line without it says less. */
  async #receipt(to: number): Promise<void> {
    try {
      const page = { before: to + 1, limit: 1, signal: this.#abort.signal };
      this.log.know((await client.thread.tail(this.#id, page)).runs);
      this.#told.onchange();
    } catch {
      // The run is shown without its receipt.
    }
  }
}

/** Lets the page draw. */
function breath(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
