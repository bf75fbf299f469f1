/** An event of `text/event-stream` longer than this is not read: it passes, but nobody knows what it said. */
const MAX_LINE = 8 * 1024 * 1024;

/**
 * Reads server-sent events from chunks that may end anywhere. Tells the data of each event, but for those that
 * `isIdle` finds nothing in: it is shown several whole events at once, since most of a stream is words.
 */
export class SseReader {
  #decoder = new TextDecoder();
  #tell: (data: string) => void;
  #isIdle: (events: string) => boolean;
  /** The beginning of a line whose end has not come. */
  #rest: string[] = [];
  #restLength = 0;
  #data: string[] = [];
  #dataLength = 0;
  /** The last chunk ended with a carriage return: a line feed after it belongs to the same line end. */
  #afterReturn = false;

  constructor(tell: (data: string) => void, isIdle: (events: string) => boolean) {
    this.#tell = tell;
    this.#isIdle = isIdle;
  }

  push(chunk: Uint8Array): void {
    this.#read(this.#decoder.decode(chunk, { stream: true }));
  }

  /** An event that no empty line ended is told too: a server that closes has said all. */
  end(): void {
    this.#read(this.#decoder.decode());
    if (this.#restLength > 0) this.#line(this.#takeRest(''));
    this.#dispatch();
  }

  #read(text: string): void {
    let from = 0;
    if (this.#afterReturn && text.length > 0) {
      if (text.startsWith('\n')) from = 1;
      this.#afterReturn = false;
    }
    const returns = text.includes('\r');
    let looked = returns;
    for (;;) {
      if (!looked && this.#isBetween) {
        looked = true;
        const end = text.lastIndexOf('\n\n') + 2;
        if (end > from + 1 && this.#isIdle(text.slice(from, end))) from = end;
      }
      const at = endOfLine(text, from, returns);
      if (at < 0) break;
      this.#line(this.#takeRest(text.slice(from, at)));
      from = at + 1;
      if (text[at] === '\r') {
        if (from === text.length) this.#afterReturn = true;
        else if (text[from] === '\n') from += 1;
      }
    }
    if (from === text.length) return;
    this.#restLength += text.length - from;
    if (this.#restLength <= MAX_LINE) this.#rest.push(text.slice(from));
    else this.#rest = [];
  }

  /** Of what comes next, nothing belongs to an event that has begun. */
  get #isBetween(): boolean {
    return this.#restLength === 0 && this.#dataLength === 0 && this.#data.length === 0;
  }

  #takeRest(end: string): string | null {
    const length = this.#restLength + end.length;
    const line = this.#restLength === 0 ? end : this.#rest.join('') + end;
    this.#rest = [];
    this.#restLength = 0;
    return length > MAX_LINE ? null : line;
  }

  #line(line: string | null): void {
    if (line === '') this.#dispatch();
    if (line === null || !line.startsWith('data:')) return;
    const value = line.slice(line[5] === ' ' ? 6 : 5);
    this.#dataLength += value.length;
    if (this.#dataLength <= MAX_LINE) this.#data.push(value);
  }

  #dispatch(): void {
    if (this.#data.length > 0 && this.#dataLength <= MAX_LINE) this.#tell(this.#data.join('\n'));
    this.#data = [];
    this.#dataLength = 0;
  }
}

function endOfLine(text: string, from: number, returns: boolean): number {
  const feed = text.indexOf('\n', from);
  if (!returns) return feed;
  const carriage = text.indexOf('\r', from);
  if (carriage < 0) return feed;
  return feed < 0 ? carriage : Math.min(feed, carriage);
}
