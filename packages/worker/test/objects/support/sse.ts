import { call, OWNER } from './api.ts';

export type SseEvent = { name: string; id: number; data: unknown };

/** A reader of server-sent events that reads only when it is asked to. */
class SseReader {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = '';

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next events, fewer when the stream ends. */
  async take(count: number): Promise<SseEvent[]> {
    const events: SseEvent[] = [];
    while (events.length < count) {
      const end = this.#text.indexOf('\n\n');
      if (end < 0) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.#text += value;
        continue;
      }
      const event = parse(this.#text.slice(0, end));
      this.#text = this.#text.slice(end + 2);
      if (event) events.push(event);
    }
    return events;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

export async function openSse(path: string, headers: Record<string, string> = {}) {
  const response = await call(path, {
    headers: { ...OWNER, accept: 'text/event-stream', ...headers },
  });
  if (response.status !== 200 || !response.body) throw new Error(`${path}: ${response.status}`);
  return new SseReader(response.body);
}

/** A frame of lines `name: value`; comments are no event. */
function parse(frame: string): SseEvent | null {
  const fields = new Map(
    frame.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return null;
  const name = fields.get('event') ?? 'message';
  return { name, id: Number(fields.get('id')), data: JSON.parse(data) };
}
