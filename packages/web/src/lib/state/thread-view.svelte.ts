import type { FeedState } from '@filepath/client';
import type { AttachmentRef, Block, Delivery, RuleScope, ThreadRun } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { type Chunk, chunked } from './chunks.ts';
import { PerFrame } from './per-frame.ts';
import { answerWithin } from './scoped-answer.ts';
import { recall, remember } from './remembered.ts';
import { placeOf, type ThreadPlace } from './thread-places.ts';
import { ThreadRows } from './thread-rows.ts';
import { ThreadSource } from './thread-source.svelte.ts';

export type QueuedBlock = Extract<Block, { kind: 'queued' }>;

const EVERY_LINE = 'every-line';

/** One thread as it is shown: its feed, its blocks, and what a person can do to it. */
export class ThreadView {
  readonly source: ThreadSource;
  /** Where the reader was, and what is folded. */
  readonly place: ThreadPlace;
  chunks = $state.raw<readonly Chunk[]>([]);
  /** The seq of the last event. */
  last = $state(0);
  /** A process runs or a run is open, so that there is something to stop. */
  busy = $state(false);
  /** A run is open, so that a message can wait for its end. */
  working = $state(false);
  /** The messages that do. */
  queued = $state.raw<readonly QueuedBlock[]>([]);
  /** The ids of the questions that wait for an answer, as the inbox has them. */
  questions = $state.raw<readonly string[]>([]);
  /** There is nothing yet but the agents below it. */
  untold = $state(false);
  /** The newest finished text, for those who listen. */
  spoken = $state('');
  sending = $state(false);
  problem = $state<string | null>(null);
  /** Also what the header and the lines of runs say. */
  everyLine = $state(recall(EVERY_LINE) === 'yes');

  readonly id: string;
  readonly #rows = new ThreadRows();
  readonly #publish = new PerFrame(() => this.#show());

  constructor(id: string) {
    this.id = id;
    this.place = placeOf(id);
    this.source = new ThreadSource(id, {
      onchange: () => this.#changed(),
      onfail: (error) => void this.#fail(error),
    });
  }

  get state(): FeedState {
    return this.source.state;
  }

  close(): void {
    this.source.close();
    this.#publish.cancel();
  }

  showEveryLine(every: boolean): void {
    this.everyLine = every;
    remember(EVERY_LINE, every ? 'yes' : 'no');
    this.#show();
  }

  fold(run: string): void {
    if (!this.place.folded.delete(run)) this.place.folded.add(run);
    this.#show();
  }

  /** All runs before one, or none of them where they are folded already. */
  foldBefore({ from }: ThreadRun): void {
    const { folded } = this.place;
    const earlier = this.source.log.runs.filter(({ to }) => to !== null && to < from);
    const all = earlier.every(({ run }) => folded.has(run));
    for (const { run } of earlier) {
      if (all) folded.delete(run);
      else folded.add(run);
    }
    this.#show();
  }

  /** Reads back to a seq, and unfolds what it is in. */
  async reach(seq: number): Promise<void> {
    await this.source.reach(seq);
    const inside = this.source.log.runs.find(
      ({ from, to }) => from < seq && to !== null && seq <= to,
    );
    if (inside) this.place.folded.delete(inside.run);
    this.#show();
  }

  /** What a person said here, oldest first. */
  sent(): string[] {
    return this.source.log.blocks.flatMap((block) =>
      block.kind === 'message' && block.from === 'user' ? [block.content] : [],
    );
  }

  /** True when the message is in the log. */
  async send(
    content: string,
    deliver?: Delivery,
    files: readonly AttachmentRef[] = [],
  ): Promise<boolean> {
    if (this.sending) return false;
    this.sending = true;
    try {
      return await this.attempt(() => client.thread.message(this.id, content, deliver, files));
    } finally {
      this.sending = false;
    }
  }

  /** True when the change of a message that waits is stored. */
  requeue(message: string, content: string): Promise<boolean> {
    return this.attempt(() => client.thread.requeue(this.id, message, content));
  }

  withdraw(message: string): Promise<boolean> {
    return this.attempt(() => client.thread.withdraw(this.id, message));
  }

  /** Answers what the agent asked, as it is shown: the answer holds for nothing else. */
  async decide(
    { decision, hash, prompt }: Extract<Block, { kind: 'decision' }>,
    choice: string,
    scope?: RuleScope,
  ): Promise<void> {
    if (scope !== undefined) {
      await this.attempt(() => answerWithin({ thread: this.id, prompt, hash }, choice, scope));
      return;
    }
    const about = hash === null ? {} : { hash };
    await this.attempt(() => client.thread.decide(this.id, decision, { choice, ...about }));
  }

  async stop(): Promise<void> {
    await this.attempt(() => client.thread.signal(this.id, 'stop'));
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

  /** The end of a log is shown as soon as it is there; what comes then, once a frame. */
  #changed(): void {
    if (this.source.opened) this.#publish.ask();
    else this.#show();
  }

  #show(): void {
    const { log } = this.source;
    const { blocks, queued } = split(log.blocks);
    const { alive, open, handing, questions } = log.lifecycle;
    const rows = this.#rows.of(blocks, log.runs, this.place.folded, this.everyLine);
    this.chunks = chunked(rows, this.chunks);
    this.last = log.last;
    this.queued = queued;
    this.working = open || handing;
    this.busy = alive || open;
    this.questions = questions;
    this.untold = rows.length > 0 && rows.every(({ kind }) => kind === 'workers');
    this.spoken = lastText(blocks);
  }

  /** False: it failed, and the problem is shown. */
  async attempt(work: () => Promise<unknown>): Promise<boolean> {
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
