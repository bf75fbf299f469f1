import type { Readable } from 'node:stream';

/** A CLI's line may carry a whole file. */
const LONGEST = 16 * 1024 * 1024;

export type LineReader = {
  readonly line: (value: Record<string, unknown>) => void;
  /** A line that is no JSON object, or too long; its first characters. */
  readonly other: (head: string) => void;
};

/** Reads JSON objects, one a line, until the stream ends. */
export async function readJsonLines(stream: Readable, reader: LineReader): Promise<void> {
  let parts: Buffer[] = [];
  let size = 0;
  let skipping = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      if (!skipping) readLine(Buffer.concat([...parts, chunk.subarray(from, at)]), reader);
      parts = [];
      size = 0;
      skipping = false;
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    if (rest.length === 0 || skipping) continue;
    parts.push(rest);
    size += rest.length;
    if (size <= LONGEST) continue;
    reader.other(`a line of more than ${LONGEST} bytes was left out`);
    parts = [];
    size = 0;
    skipping = true;
  }
  if (size > 0) readLine(Buffer.concat(parts), reader);
}

function readLine(bytes: Buffer, reader: LineReader): void {
  const text = bytes.toString().trim();
  if (text === '') return;
  const value = parse(text);
  if (value) reader.line(value);
  else reader.other(text.slice(0, 200));
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
