import { FilepathError } from '@filepath/protocol';
import {
  ChatChunk,
  ChatFilePart,
  type ChatMessage,
  ChatMessages,
  ChatNotice,
  type ChatResponse,
  type ChatServerFrame,
  readChatFrame,
} from '@filepath/protocol/chat';
import { whole } from '../answers.ts';
import type { Backoff } from '../backoff.ts';
import type { FeedState } from '../follow.ts';
import type { WebSocketLike } from '../socket.ts';
import { ChatLink } from './link.ts';
import { has, type Sent, type Stream, textOfMessage, Transcript } from './transcript.ts';

/** Where a chat is: `client.liteclaw.chat(id)` gives one. */
export type ChatSource = {
  readonly open: () => WebSocketLike;
  /** Its transcript. Rejects with a FilepathError. */
  readonly read: () => Promise<Response>;
};

export type ChatView = {
  readonly state: FeedState;
  /** Why it is gone. */
  readonly error: FilepathError | null;
  /** Null: not read yet. */
  readonly messages: readonly ChatMessage[] | null;
  /** The answer that is being written. */
  readonly writing: string | null;
  /** What waits to be taken by the server. */
  readonly waiting: ReadonlySet<string>;
  /** An answer is on its way. */
  readonly busy: boolean;
  readonly stopping: boolean;
  /** What is said of the answer that is on its way, and nowhere kept. */
  readonly notice: string | null;
  /** Why the transcript could not be read. It is tried again. */
  readonly failure: string | null;
};

export type ChatHandlers = {
  /** Something is different: `view()` says what. */
  readonly onChange: () => void;
  /** The server did not take what was said. It is not in the chat. */
  readonly onRefused?: (text: string, reason: string, files: readonly ChatFilePart[]) => void;
};

/** While an answer is waited for: so long without a word, and the server is asked whether it is there. */
const SILENT_MS = 30_000;
const ANSWER_MS = 10_000;
const READ_AGAIN_MS = 3_000;
/** Nothing tells that a chat was cleared: it is looked at so often, for longer than an answer may take to stop before. */
const CLEAR_TRIES = 60;
const CLEAR_MS = 150;
/** Requests whose late frames are not looked at. */
const REMEMBERED = 64;

/**
 * A chat in the protocol of the Agents SDK, over connections that come and go. Whatever was cut off is followed again
 * from its beginning; what was said and did not arrive is said again, under the same id; without a stream to follow
 * the transcript is read again.
 */
export class LiveChat {
  readonly #source: ChatSource;
  readonly #handlers: ChatHandlers;
  readonly #link: ChatLink;
  readonly #transcript = new Transcript();
  #state: FeedState = 'connecting';
  #error: FilepathError | null = null;
  /** What was asked of the server, and not answered: which stream there is. */
  #probe: string | null = null;
  /** The request whose answer has not begun. */
  #pending: string | null = null;
  #recovering = false;
  #stopping: string | null = null;
  #notice: string | null = null;
  #failure: string | null = null;
  /** How many there were: what was said on an earlier one may be lost. */
  #connection = 0;
  #over: string[] = [];
  #readings = 0;
  #closed = false;
  #watch: ReturnType<typeof setTimeout> | null = null;
  #rereading: ReturnType<typeof setTimeout> | null = null;

  constructor(source: ChatSource, handlers: ChatHandlers, backoff?: Backoff) {
    this.#source = source;
    this.#handlers = handlers;
    this.#link = new ChatLink(
      {
        open: source.open,
        ask: () => this.#fetch(),
        onState: (state, error) => this.#moved(state, error),
        onText: (text) => this.#take(readChatFrame(text)),
      },
      backoff,
    );
  }

  start(): void {
    void this.#read();
    this.#link.connect();
  }

  view(): ChatView {
    const { stream, sent } = this.#transcript;
    const writing = stream?.again ?? stream?.answer.message();
    return {
      state: this.#state,
      error: this.#error,
      messages: this.#transcript.shown(),
      writing: writing?.id ?? null,
      waiting: new Set(sent.filter((one) => !one.delivered).map(({ message }) => message.id)),
      busy: this.#busy(),
      stopping: this.#stopping !== null,
      notice: this.#notice,
      failure: this.#failure,
    };
  }

  /** Says something, with files that the chat keeps. What is on its way is stopped by the server; without a connection it waits for one. */
  send(text: string, files: readonly ChatFilePart[] = []): void {
    const message: ChatMessage = {
      id: crypto.randomUUID(),
      role: 'user',
      parts: [...(text === '' ? [] : [{ type: 'text', text }]), ...files],
    };
    const one: Sent = {
      request: crypto.randomUUID(),
      message,
      delivered: false,
      connection: null,
    };
    this.#ask(one);
    this.#transcript.sent = [...this.#transcript.sent, one];
    this.#notice = null;
    this.#stopping = null;
    this.#listen();
    this.#handlers.onChange();
  }

  /** Ends the answer that is on its way. What was said by then stays. */
  stop(): void {
    const { stream, sent } = this.#transcript;
    const id = sent.at(-1)?.request ?? stream?.request ?? this.#pending;
    if (id === null) return;
    this.#stopping = id;
    this.#cancel(id);
    this.#handlers.onChange();
  }

  /** Forgets everything, on every device. Throws when it is not known to be forgotten. */
  async clear(): Promise<void> {
    if (!this.#link.live)
      throw new FilepathError(
        'unavailable',
        'There is no connection. Clear the chat when there is.',
      );
    this.#link.send({ type: 'cf_agent_chat_clear' });
    this.#cleared();
    let left: readonly ChatMessage[] = [];
    for (let tries = 0; tries < CLEAR_TRIES; tries += 1) {
      left = await this.#fetch();
      // What was being read meanwhile may be of before.
      if (left.length === 0) return this.#read();
      await new Promise((resolve) => setTimeout(resolve, CLEAR_MS));
    }
    this.#transcript.replace(left);
    this.#handlers.onChange();
    throw new FilepathError('conflict', 'The chat was not cleared. Try it again.');
  }

  /** Asks the server whether this connection still leads to it; it is replaced when no answer comes. */
  check(): void {
    if (!this.#link.live || this.#probe !== null) return;
    this.#probe = crypto.randomUUID();
    this.#link.send({ type: 'cf_agent_stream_resume_request', probeId: this.#probe });
    this.#listen();
  }

  close(): void {
    this.#closed = true;
    this.#readings += 1;
    for (const timer of [this.#watch, this.#rereading]) if (timer !== null) clearTimeout(timer);
    this.#link.close();
  }

  #moved(state: FeedState, error?: FilepathError): void {
    this.#state = state;
    this.#error = error ?? null;
    this.#probe = null;
    if (state === 'live') {
      this.#connection += 1;
      this.check();
    } else if (this.#watch !== null) clearTimeout(this.#watch);
    this.#handlers.onChange();
  }

  #take(frame: ChatServerFrame | null): void {
    if (frame === null) return;
    this.#listen();
    switch (frame.type) {
      case 'cf_agent_use_chat_response':
        this.#response(frame);
        break;
      case 'cf_agent_chat_messages':
        this.#transcript.replace(frame.messages);
        break;
      case 'cf_agent_message_updated':
        this.#transcript.update(frame.message);
        break;
      case 'cf_agent_chat_clear':
        this.#cleared();
        break;
      case 'cf_agent_chat_recovering':
        this.#recovering = frame.recovering;
        break;
      case 'cf_agent_stream_resuming':
        this.#resuming(frame.id, frame.probeId);
        break;
      default:
        this.#noStream(frame);
    }
    this.#handlers.onChange();
  }

  /** There is a stream: it is followed from its beginning. What is said of it before the word for it is not looked at. */
  #resuming(request: string, probeId: string | undefined): void {
    // Told without being asked, while the answer to what was asked is under way.
    if (this.#probe !== null && probeId !== this.#probe) return;
    this.#answered();
    this.#over = this.#over.filter((id) => id !== request);
    this.#transcript.begin(request, false, true);
    this.#link.send({ type: 'cf_agent_stream_resume_ack', id: request });
    void this.#read();
  }

  #noStream(frame: { type: string; id?: string | undefined; probeId?: string | undefined }): void {
    if (this.#probe !== null && frame.probeId !== this.#probe) return;
    this.#answered();
    this.#pending = frame.type === 'cf_agent_stream_pending' ? (frame.id ?? 'unknown') : null;
    void this.#read(this.#transcript.stream);
  }

  #response(frame: ChatResponse): void {
    const transcript = this.#transcript;
    const { id, done = false } = frame;
    const chunk = chunkOf(frame);
    if (this.#over.includes(id) && chunk?.type !== 'start') return;
    let stream = transcript.stream?.request === id ? transcript.stream : null;
    if (stream === null && frame.error === true && done && this.#refused(frame)) return;
    if (stream === null && chunk?.type !== 'start' && !frame.continuation) {
      // The beginning was missed: it is asked for. The end of what nobody follows is nothing new.
      if (done) this.#ended(id, null, frame);
      else this.check();
      return;
    }
    transcript.delivered(id);
    this.#pending = null;
    if (stream === null || chunk?.type === 'start') stream = this.#begun(frame, stream);
    if (chunk) this.#apply(stream, chunk);
    if (frame.replay !== true || frame.replayComplete === true) stream.again = null;
    if (done) this.#ended(id, stream, frame);
    else if (this.#stopping === id && chunk?.type === 'start') this.#cancel(id);
  }

  #begun({ id, replay, continuation }: ChatResponse, before: Stream | null): Stream {
    this.#recovering = false;
    if (before === null) this.#notice = null;
    const again = replay === true || (before?.again ?? null) !== null;
    return this.#transcript.begin(id, continuation === true, again);
  }

  #apply(stream: Stream, chunk: ChatChunk): void {
    if (chunk.type === 'data-notice')
      this.#notice = ChatNotice.safeParse(chunk['data']).data?.message ?? null;
    if (chunk.type === 'text-delta') this.#notice = null;
    stream.answer.apply(chunk);
  }

  #ended(id: string, stream: Stream | null, { outcome, replay }: ChatResponse): void {
    if (stream) this.#transcript.end(stream);
    else this.#transcript.sent = this.#transcript.sent.filter(({ request }) => request !== id);
    this.#recovering = outcome === 'recovering';
    // A stream that broke off with its engine may go on under its id.
    if (!this.#recovering && replay !== true) this.#over = [...this.#over, id].slice(-REMEMBERED);
    if (this.#stopping === id) this.#stopping = null;
    this.#notice = null;
    if (this.#pending === id) this.#pending = null;
    if (stream === null || stream.goesOn || replay === true) void this.#read();
  }

  #refused({ id, body = '' }: ChatResponse): boolean {
    const message = this.#transcript.take(id);
    if (message === null) return false;
    if (this.#stopping === id) this.#stopping = null;
    const files = message.parts.flatMap((part) => ChatFilePart.safeParse(part).data ?? []);
    this.#handlers.onRefused?.(textOfMessage(message), body, files);
    return true;
  }

  #cleared(): void {
    const { stream, sent } = this.#transcript;
    const known = [...sent.map(({ request }) => request), ...(stream ? [stream.request] : [])];
    this.#over = [...this.#over, ...known].slice(-REMEMBERED);
    this.#transcript.clear();
    this.#pending = this.#stopping = this.#notice = null;
    this.#recovering = false;
    this.#handlers.onChange();
  }

  /** Reads the transcript. `over`: a stream that has ended while nobody followed it. */
  async #read(over: Stream | null = null): Promise<void> {
    this.#readings += 1;
    const reading = this.#readings;
    const { changes } = this.#transcript;
    try {
      const stored = await this.#fetch();
      if (reading !== this.#readings) return;
      if (changes !== this.#transcript.changes) return await this.#read(over);
      this.#failure = null;
      if (over !== null && over === this.#transcript.stream) this.#transcript.stream = null;
      this.#transcript.replace(stored);
      this.#settle(stored);
    } catch (error) {
      if (reading !== this.#readings) return;
      this.#failure = error instanceof Error ? error.message : String(error);
      if (this.#link.live) this.#readLater(over);
    }
    this.#handlers.onChange();
  }

  async #fetch(): Promise<readonly ChatMessage[]> {
    return whole(await this.#source.read(), 'transcript', ChatMessages);
  }

  /** After a connection: what was said is there and answered, or is said again. */
  #settle(stored: readonly ChatMessage[]): void {
    if (!this.#link.live || this.#probe !== null) return;
    const { stream, sent } = this.#transcript;
    const running = stream?.request ?? this.#pending;
    const isLost = ({ message }: Sent): boolean => !has(stored, message.id);
    this.#transcript.sent = sent.filter((one) => isLost(one) || one.request === running);
    for (const one of sent.filter(isLost)) {
      if (one.request === running || one.connection === this.#connection) continue;
      one.request = crypto.randomUUID();
      this.#ask(one);
    }
  }

  /** The server needs the end of what was said to know where this belongs. */
  #ask(one: Sent): void {
    const { stored, stream, sent } = this.#transcript;
    const before = sent.slice(0, sent.includes(one) ? sent.indexOf(one) : sent.length);
    const written = stream === null || stream.answer.empty ? [] : [stream.answer.message()];
    const known = [
      ...(stored ?? []).slice(-3),
      ...written,
      ...before.map(({ message }) => message),
    ];
    const heads = known.map((message) =>
      message.role === 'user' ? message : { id: message.id, role: message.role },
    );
    const body = JSON.stringify({ messages: [...heads, one.message], trigger: 'submit-message' });
    one.connection = this.#link.live ? this.#connection : null;
    this.#link.send({
      type: 'cf_agent_use_chat_request',
      id: one.request,
      init: { method: 'POST', body },
    });
  }

  #cancel(id: string): void {
    this.#link.send({ type: 'cf_agent_chat_request_cancel', id });
  }

  #busy(): boolean {
    const { stream, sent } = this.#transcript;
    return stream !== null || sent.length > 0 || this.#pending !== null || this.#recovering;
  }

  #answered(): void {
    this.#probe = null;
    this.#pending = null;
    this.#listen();
  }

  #listen(): void {
    if (this.#probe !== null) this.#after(ANSWER_MS, () => this.#link.again());
    else this.#after(SILENT_MS, () => (this.#busy() ? this.check() : undefined));
  }

  #after(ms: number, then: () => void): void {
    if (this.#watch !== null) clearTimeout(this.#watch);
    this.#watch = setTimeout(then, ms);
  }

  #readLater(over: Stream | null): void {
    if (this.#closed) return;
    if (this.#rereading !== null) clearTimeout(this.#rereading);
    this.#rereading = setTimeout(() => void this.#read(over), READ_AGAIN_MS);
  }
}

/** Null: the frame carries none, or one that nobody can read. */
function chunkOf({ body = '', error }: ChatResponse): ChatChunk | null {
  if (error === true || body.trim() === '') return null;
  try {
    return ChatChunk.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}
