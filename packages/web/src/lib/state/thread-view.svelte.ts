import type { FeedState, Following } from '@filepath/client';
import {
  advance,
  type Block,
  BlockReducer,
  type Delivery,
  INITIAL,
  type LogEvent,
} from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { PerFrame } from './per-frame.ts';
import { ThreadWindow } from './thread-window.svelte.ts';

export type QueuedBlock = Extract<Block, { kind: 'queued' }>;

/** One thread as it is shown: its feed, its blocks, and what a person can do to it. */
export class ThreadView {
  readonly window = new ThreadWindow();
  state = $state<FeedState>('connecting');
  /** A process runs or a run is open, so that there is something to stop. */
  busy = $state(false);
  /** A run is open, so that a message can wait for its end. */
  working = $state(false);
  /** The messages that do. */
  queued = $state.raw<readonly QueuedBlock[]>([]);
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
  async send(content: string, deliver?: Delivery): Promise<boolean> {
    if (this.sending) return false;
    this.sending = true;
    try {
      return await this.#try(() => client.thread.message(this.id, content, deliver));
    } finally {
      this.sending = false;
    }
  }

  /** True when the change of a message that waits is stored. */
  requeue(message: string, content: string): Promise<boolean> {
    return this.#try(() => client.thread.requeue(this.id, message, content));
  }

  withdraw(message: string): Promise<boolean> {
    return this.#try(() => client.thread.withdraw(this.id, message));
  }

  /** Answers what the agent asked, as it is shown: the answer holds for nothing else. */
  async decide(
    { decision, hash }: Extract<Block, { kind: 'decision' }>,
    choice: string,
  ): Promise<void> {
    const about = hash === null ? {} : { hash };
    await this.#try(() => client.thread.decide(this.id, decision, { choice, ...about }));
  }

  async stop(): Promise<void> {
    await this.#try(() => client.thread.signal(this.id, 'stop'));
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
    const { blocks, queued } = split(this.#reducer.blocks);
    this.window.show(blocks);
    this.queued = queued;
    this.working = this.#lifecycle.open || this.#lifecycle.handing;
    this.busy = this.#lifecycle.alive || this.#lifecycle.open;
    this.spoken = lastText(blocks);
  }

  /** False: it failed, and the problem is shown. */
  async #try(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      this.problem = null;
      return true;
    } catch (error) {
      await this.#fail(error);
      return false;
    }
  }

  async #fail(error: unknown): Promise<void> {
    this.problem = await problemOf(error);
  }
}

/** What waits stands at the end of the blocks, and on the page above the input. */
function split(blocks: readonly Block[]): { blocks: readonly Block[]; queued: QueuedBlock[] } {
  const end = blocks.findLastIndex(({ kind }) => kind !== 'queued') + 1;
  const queued = blocks.slice(end).filter((block) => block.kind === 'queued');
  return { blocks: queued.length === 0 ? blocks : blocks.slice(0, end), queued };
}

function lastText(blocks: readonly Block[]): string {
  const block = blocks.at(-1);
  return block?.kind === 'text' && !block.partial ? block.content.slice(0, 300) : '';
}
