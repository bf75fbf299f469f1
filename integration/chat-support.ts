import { Liteclaw, readLines } from '@filepath/protocol';
import {
  readSkyExport,
  SKY_LINE,
  skyEventOf,
  type SkyExportLine,
  SkyOrder,
} from '@filepath/protocol/sky';
import type { Api, Instance } from '@filepath/testkit';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { AgentClient, WebSocketChatTransport } from '../packages/worker/test/chat-sdk.mjs';

const Part = z.looseObject({ type: z.string(), text: z.string().optional() });
export const Message = z.looseObject({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  parts: z.array(Part),
});
export type Message = z.infer<typeof Message>;

const Frame = z.looseObject({ type: z.string(), id: z.string().optional() });

/** Part of an answer. */
export const isDelta = ({ type, body }: z.infer<typeof Frame>): boolean =>
  type === 'cf_agent_use_chat_response' && String(body).includes('text-delta');

export const textOf = ({ parts }: Message): string =>
  parts.map(({ type, text = '' }) => (type === 'text' ? text : '')).join('');

export const user = (text: string): Message => ({
  id: crypto.randomUUID(),
  role: 'user',
  parts: [{ type: 'text', text }],
});

export const spawn = (api: Api): Promise<Liteclaw> =>
  api.json(Liteclaw, 'POST', '/api/liteclaw', { action: 'spawn' });

/** The transcript as the SDK's clients load it. */
export const transcript = (api: Api, id: string): Promise<Message[]> =>
  api.json(z.array(Message), 'GET', `/agents/chat/${id}/get-messages`);

/** What a stream brought: its text, its parts, and the error that it ended with. */
export type Read = { text: string; types: string[]; error: string | null };

/** The SDK's own client and transport, with the little that its hook adds: which frames go where. */
export class ChatClient {
  readonly agent: AgentClient;
  readonly transport: WebSocketChatTransport;
  readonly frames: z.infer<typeof Frame>[] = [];
  #socket: WebSocket | null = null;
  #waiting: { test: (frame: z.infer<typeof Frame>) => boolean; resolve: () => void }[] = [];

  constructor(instance: Pick<Instance, 'port' | 'token'>, id: string) {
    const authorization = `Bearer ${instance.token}`;
    const opened = (socket: WebSocket): void => {
      this.#socket = socket;
    };
    // The browser sends its cookie; here the header takes its place.
    class Signed extends WebSocket {
      constructor(url: string) {
        super(url, { headers: { authorization } });
        opened(this);
      }
    }
    this.agent = new AgentClient({
      agent: 'chat',
      name: id,
      host: `127.0.0.1:${instance.port}`,
      protocol: 'ws',
      WebSocket: Signed,
      minReconnectionDelay: 20,
      maxReconnectionDelay: 200,
    });
    this.transport = new WebSocketChatTransport({ agent: this.agent });
    this.agent.addEventListener('message', ({ data }) => this.#take(String(data)));
  }

  /** Sends a message after those that are known, and gives what came back. */
  async send(messages: readonly Message[]): Promise<ReadableStream<unknown>> {
    await this.agent.ready;
    return this.transport.sendMessages({
      chatId: 'chat',
      trigger: 'submit-message',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    });
  }

  async say(messages: readonly Message[]): Promise<Read> {
    return read(await this.send(messages));
  }

  /** Cuts the connection as a network does. The SDK's client connects again by itself. */
  async cut(): Promise<void> {
    const again = new Promise<void>((resolve) => {
      this.agent.addEventListener('open', () => resolve(), { once: true });
    });
    this.#socket?.terminate();
    await again;
    await this.agent.ready;
  }

  resume(): Promise<ReadableStream<unknown> | null> {
    return this.transport.reconnectToStream({ chatId: 'chat' });
  }

  /** Waits for a frame that comes from now on. */
  frame(test: (frame: z.infer<typeof Frame>) => boolean): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ test, resolve }));
  }

  close(): void {
    this.agent.close();
  }

  #take(text: string): void {
    const frame = Frame.parse(JSON.parse(text));
    this.frames.push(frame);
    if (frame.type === 'cf_agent_stream_resuming')
      this.transport.handleStreamResuming({ id: frame.id ?? '' });
    else if (frame.type === 'cf_agent_stream_resume_none')
      this.transport.handleStreamResumeNone(frame);
    else if (frame.type === 'cf_agent_stream_pending') this.transport.handleStreamPending();
    this.#waiting = this.#waiting.filter(({ test, resolve }) => {
      if (!test(frame)) return true;
      resolve();
      return false;
    });
  }
}

const Chunk = z.looseObject({
  type: z.string(),
  delta: z.string().optional(),
  errorText: z.string().optional(),
});

/** Reads to the end, or until `enough`. */
export async function read(
  stream: ReadableStream<unknown>,
  enough: (so: Read) => boolean = () => false,
): Promise<Read> {
  const so: Read = { text: '', types: [], error: null };
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const chunk = Chunk.parse(value);
      so.types.push(chunk.type);
      so.text += chunk.type === 'text-delta' ? (chunk.delta ?? '') : '';
      // A tool's error is not that of the answer.
      if (chunk.type === 'error') so.error ??= chunk.errorText ?? null;
      if (enough(so)) break;
    }
  } catch (error) {
    so.error = error instanceof Error ? error.message : String(error);
  } finally {
    reader.releaseLock();
  }
  return so;
}

/** An export of a chat: verified line by line, with the order of its events. */
export async function exported(api: Api, id: string) {
  const response = await api.call('GET', `/agents/chat/${id}/export`);
  const text = await response.text();
  if (!response.ok) throw new Error(`export: ${response.status} ${text}`);
  const lines: SkyExportLine[] = [];
  const bytes = new Response(text).body;
  if (!bytes) throw new Error('no body');
  for await (const line of readSkyExport(readLines(bytes, SKY_LINE))) lines.push(line);
  type Body<T extends SkyExportLine['type']> = Extract<SkyExportLine, { type: T }>['body'];
  const of = <T extends SkyExportLine['type']>(type: T): Body<T>[] =>
    lines.flatMap((line) => (line.type === type ? [line.body as Body<T>] : []));
  const rows = of('event');
  const order = new SkyOrder();
  const events = rows.flatMap((row) => {
    if (row.source !== 'sky') return [];
    const reading = skyEventOf(row);
    if (!reading.ok || !reading.event) throw new Error(`event ${row.seq} is none of Sky`);
    const wrong = order.next(reading.event);
    if (wrong !== null) throw new Error(`event ${row.seq}: ${wrong}`);
    return [reading.event];
  });
  const [header] = of('sky.export');
  const [end] = of('end');
  if (!header || !end) throw new Error('the export has no header or no end');
  const [memory = null] = of('memory');
  const runs = of('receipt').flatMap((one) => (one.type === 'receipt.run' ? [one] : []));
  return {
    text,
    lines,
    header,
    rows,
    events,
    receipts: runs,
    messages: of('message'),
    memory,
    end,
    open: order.open,
  };
}
