/** A line without its line break, or why it cannot be read. Numbers count from 1. `ended`: a line break follows it. */
export type Line =
  | { number: number; text: string; ended: boolean }
  | { number: number; text: null; ended: boolean; problem: string; bytes: number };

const NEWLINE = 10;

/** The lines of a byte stream. A line above the limit is counted, not kept. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array | string>,
  limit: number,
): AsyncGenerator<Line> {
  const encoder = new TextEncoder();
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let number = 0;
  const keep = (part: Uint8Array): void => {
    bytes += part.length;
    if (bytes > limit) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const end = (ended: boolean): Line => {
    number += 1;
    const line = lineOf({ number, ended }, parts, bytes, limit);
    parts = [];
    bytes = 0;
    return line;
  };
  for await (const given of chunks) {
    const chunk = typeof given === 'string' ? encoder.encode(given) : given;
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at));
      yield end(true);
      from = at + 1;
    }
    keep(chunk.subarray(from));
  }
  if (bytes > 0) yield end(false);
}

function lineOf(
  place: { number: number; ended: boolean },
  parts: readonly Uint8Array[],
  bytes: number,
  limit: number,
): Line {
  if (bytes > limit) return { ...place, text: null, problem: `longer than ${limit} bytes`, bytes };
  try {
    // A byte order mark is part of the line: it was not written by whoever writes lines of JSON.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { ...place, text: decoder.decode(joined(parts, bytes)) };
  } catch {
    return { ...place, text: null, problem: 'not UTF-8', bytes };
  }
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
