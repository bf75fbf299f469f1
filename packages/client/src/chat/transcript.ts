import type { ChatMessage } from '@filepath/protocol/chat';
import { Answer } from './answer.ts';

/** What a person said, until it is known to be stored. */
export type Sent = {
  request: string;
  readonly message: ChatMessage;
  delivered: boolean;
  /** The connection on which it was said last. */
  connection: number | null;
};

/** The answer that is on its way. */
export type Stream = {
  readonly request: string;
  readonly answer: Answer;
  readonly goesOn: boolean;
  /** It is sent again from its beginning: until that is through, this is shown, as far as it had come. */
  again: ChatMessage | null;
};

/** What is stored of a chat as far as it is known, with what is being said and written. */
export class Transcript {
  /** Null: not read yet. */
  stored: readonly ChatMessage[] | null = null;
  stream: Stream | null = null;
  sent: readonly Sent[] = [];
  /** Counts what became of `stored`: a reading that was asked for before a change is out of date. */
  changes = 0;

  /** All of it, in order. */
  shown(): readonly ChatMessage[] | null {
    if (this.stored === null) return null;
    const { stored, stream } = this;
    const waiting = this.sent.map(({ message }) => message).filter(({ id }) => !has(stored, id));
    const written = stream === null ? null : (stream.again ?? stream.answer.message());
    if (written === null || written.parts.length === 0) return [...stored, ...waiting];
    const known = stored.find(({ id }) => id === written.id);
    if (!known) return [...stored, written, ...waiting];
    // It may be stored whole before its pieces have all come.
    const fuller = weight(known) >= weight(written) ? known : written;
    return [...stored.map((one) => (one === known ? fuller : one)), ...waiting];
  }

  replace(stored: readonly ChatMessage[]): void {
    this.stored = stored;
    this.changes += 1;
    for (const one of this.sent) one.delivered ||= has(stored, one.message.id);
  }

  update(message: ChatMessage): void {
    this.replace((this.stored ?? []).map((one) => (one.id === message.id ? message : one)));
  }

  clear(): void {
    this.stream = null;
    this.sent = [];
    this.replace([]);
  }

  /** A request is being answered: what it said is stored, and all that was said before it. */
  delivered(request: string): void {
    const through = this.sent.findIndex((one) => one.request === request);
    const taken = this.sent.slice(0, through + 1);
    const fresh = taken.filter(({ message }) => !has(this.stored ?? [], message.id));
    for (const one of taken) one.delivered = true;
    if (fresh.length > 0)
      this.replace([...(this.stored ?? []), ...fresh.map(({ message }) => message)]);
  }

  begin(request: string, goesOn: boolean, again = false): Stream {
    const before = this.stream;
    if (before !== null && before.request !== request) this.end(before);
    const last = (this.stored ?? []).findLast(({ role }) => role === 'assistant');
    const shown = before?.request === request ? (before.again ?? before.answer.message()) : null;
    const answer = new Answer(`answer-${request}`, goesOn ? last : undefined);
    this.stream = { request, answer, goesOn, again: again ? (shown ?? EMPTY) : null };
    return this.stream;
  }

  /** The answer is whole, or as whole as it gets. */
  end(stream: Stream): void {
    if (this.stream === stream) this.stream = null;
    this.sent = this.sent.filter(({ request }) => request !== stream.request);
    if (stream.answer.empty) return;
    const message = stream.answer.message();
    const stored = this.stored ?? [];
    const known = stored.find(({ id }) => id === message.id);
    // What was stored meanwhile has the last word.
    if (known && weight(known) >= weight(message)) return;
    if (known) this.update(message);
    else this.replace([...stored, message]);
  }

  /** Forgets what was said under this request. */
  take(request: string): ChatMessage | null {
    const found = this.sent.find((one) => one.request === request);
    this.sent = this.sent.filter((one) => one !== found);
    return found?.message ?? null;
  }
}

const EMPTY: ChatMessage = { id: 'none', role: 'assistant', parts: [] };

export const has = (messages: readonly ChatMessage[], id: string): boolean =>
  messages.some((one) => one.id === id);

export const textOfMessage = ({ parts }: ChatMessage): string =>
  parts.map(({ type, text = '' }) => (type === 'text' ? text : '')).join('');

/** How far an answer has come. */
const weight = (message: ChatMessage): number =>
  textOfMessage(message).length + message.parts.length;
