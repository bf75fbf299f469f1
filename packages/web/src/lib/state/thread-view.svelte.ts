import type { FeedState, Following } from '@filepath/client';
import { advance, type Block, BlockReducer, INITIAL, type LogEvent } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { PerFrame } from './per-frame.ts';
import { ThreadWindow } from './thread-window.svelte.ts';

/** One thread as it is shown: its feed, its blocks, and what a person can do to it. */
export class ThreadView {
  readonly window = new ThreadWindow();
  state = $state<FeedState>('connecting');
  /** A process runs or a run is open, so that there is something to stop. */
  busy = $state(false);
  /** The newest finished text, for those who listen. */
  spoken = $state('');
  sending = $state(false);
  problem = $state<string | null>(null);

  readonly id: string;
  readonly #reducer = new BlockReducer();
  readonly #following: Following;
  readonly #publish = new PerFrame(() => this.#show());
  #lifecycle = INITIAL;

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
    this.window.close();
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

  /** Answers what the agent asked, as it is shown: the answer holds for nothing else. */
  async decide(
    { decision, hash }: Extract<Block, { kind: 'decision' }>,
    choice: string,
  ): Promise<void> {
    try {
      await client.thread.decide(this.id, decision, { choice, ...(hash !== null && { hash }) });
      this.problem = null;
    } catch (error) {
      await this.#fail(error);
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

  /** Ends what runs: a fresh process begins with the last handoff. */
  async restart(): Promise<void> {
    try {
      await client.thread.restart(this.id);
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
    this.window.show(blocks);
    this.busy = this.#lifecycle.alive || this.#lifecycle.open;
    this.spoken = lastText(blocks);
  }

  async #fail(error: unknown): Promise<void> {
    this.problem = await problemOf(error);
  }
}

function lastText(blocks: readonly Block[]): string {
  const block = blocks.at(-1);
  return block?.kind === 'text' && !block.partial ? block.content.slice(0, 300) : '';
}
