import type { FeedState, Following } from '@filepath/client';
import { advance, type Block, BlockReducer, INITIAL, type LogEvent } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { type Chunk, chunked } from './chunks.ts';
import { PerFrame } from './per-frame.ts';

/** Groups of blocks put on the page in one go; the rest of a long thread follows while the page is idle. */
const FIRST_CHUNKS = 3;
const MORE_CHUNKS = 4;

/** One thread as it is shown: its feed, its blocks, and what a person can do to it. */
export class ThreadView {
  chunks = $state.raw<readonly Chunk[]>([]);
  state = $state<FeedState>('connecting');
  /** A process runs or a run is open, so that there is something to stop. */
  busy = $state(false);
  /** The newest finished text, for those who listen. */
  spoken = $state('');
  sending = $state(false);
  problem = $state<string | null>(null);
  #shown = $state(FIRST_CHUNKS);
  visible = $derived(this.chunks.slice(-this.#shown));
  whole = $derived(this.#shown >= this.chunks.length);

  readonly id: string;
  readonly #reducer = new BlockReducer();
  readonly #following: Following;
  readonly #publish = new PerFrame(() => this.#show());
  #lifecycle = INITIAL;
  #idle: ReturnType<typeof setTimeout> | null = null;

  constructor(id: string) {
    this.id = id;
    this.#following = client.followThread(id, {
      onEvents: (events) => this.#take(events),
      onDraft: (draft, content) => {
        this.#reducer.draft(draft, content);
        this.#publish.ask();
      },
      onDelta: (draft, delta) => {
        this.#reducer.delta(draft, delta);
        this.#publish.ask();
      },
      onState: (state, error) => {
        this.state = state;
        if (error) void this.#fail(error);
      },
    });
  }

  close(): void {
    this.#following.close();
    this.#publish.cancel();
    if (this.#idle !== null) clearTimeout(this.#idle);
  }

  /** True when the message is in the log. */
  async send(content: string): Promise<boolean> {
    if (this.sending) return false;
    this.sending = true;
    try {
      await client.thread.message(this.id, content);
      this.problem = null;
      return true;
    } catch (error) {
      await this.#fail(error);
      return false;
    } finally {
      this.sending = false;
    }
  }

  async stop(): Promise<void> {
    try {
      await client.thread.signal(this.id, 'stop');
      this.problem = null;
    } catch (error) {
      await this.#fail(error);
    }
  }

  #take(events: readonly LogEvent[]): void {
    this.#reducer.push(events);
    for (const event of events) this.#lifecycle = advance(this.#lifecycle, event).next;
    this.#publish.ask();
  }

  #show(): void {
    const { blocks } = this.#reducer;
    this.chunks = chunked(blocks, this.chunks);
    this.busy = this.#lifecycle.alive || this.#lifecycle.open;
    this.spoken = lastText(blocks);
    this.#fillIn();
  }

  #fillIn(): void {
    if (this.whole || this.#idle !== null) return;
    this.#idle = setTimeout(() => {
      this.#idle = null;
      this.#shown += MORE_CHUNKS;
      this.#fillIn();
    }, 30);
  }

  async #fail(error: unknown): Promise<void> {
    this.problem = await problemOf(error);
  }
}

function lastText(blocks: readonly Block[]): string {
  const block = blocks.at(-1);
  return block?.kind === 'text' && !block.partial ? block.content.slice(0, 300) : '';
}
