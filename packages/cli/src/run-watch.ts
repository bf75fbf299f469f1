import {
  advance,
  type Block,
  INITIAL,
  type Lifecycle,
  type LogEvent,
  type RunOutcome,
  toBlocks,
} from '@filepath/protocol';

/** Follows a thread's log until the run that a message opened, or joined, has ended. */
export class RunWatch {
  #now: Lifecycle = INITIAL;
  #message: number;
  #begun = false;
  outcome: RunOutcome | null = null;

  /** `message` is the seq of the message. */
  constructor(message: number) {
    this.#message = message;
  }

  get alive(): boolean {
    return this.#now.alive;
  }

  get reason(): string | null {
    return this.#now.reason;
  }

  take(event: LogEvent): void {
    const change = advance(this.#now, event);
    this.#now = change.next;
    if (event.seq === this.#message) this.#begun = true;
    else if (this.#begun && this.outcome === null) {
      this.outcome = change.supersedes ? 'superseded' : change.closes;
    }
  }
}

/** What of an event is no word of the agent but worth a line for the person who watches. */
export function remark(event: LogEvent): string | null {
  if (event.source === 'fap' || event.source === 'user') return null;
  return (
    toBlocks([event])
      .map(textOf)
      .find((text) => text !== null) ?? null
  );
}

function textOf(block: Block): string | null {
  switch (block.kind) {
    case 'notice':
      return block.detail === null ? block.text : `${block.text}\n${block.detail.trimEnd()}`;
    case 'log':
      return block.message;
    default:
      return null;
  }
}
