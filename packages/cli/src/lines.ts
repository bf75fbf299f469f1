/** A line without its line break, or why it cannot be read. Numbers count from 1. */
export type Line =
  { number: number; text: string } | { number: number; text: null; problem: string; bytes: number };

const NEWLINE = 10;

/** The lines of a byte stream. A line above the limit is counted, not kept. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array | string>,
  limit: number,
): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let number = 0;
  const keep = (part: Uint8Array): void => {
    bytes += part.length;
    if (bytes > limit) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const end = (): Line => {
    number += 1;
    const line = lineOf(number, parts, bytes, limit);
    parts = [];
    bytes = 0;
    return line;
  };
  for await (const given of chunks) {
    const chunk = typeof given === 'string' ? Buffer.from(given) : given;
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at));
      yield end();
      from = at + 1;
    }
    keep(chunk.subarray(from));
  }
  if (bytes > 0) yield end();
}

function lineOf(number: number, parts: Uint8Array[], bytes: number, limit: number): Line {
  if (bytes > limit) return { number, text: null, problem: `longer than ${limit} bytes`, bytes };
  try {
    return { number, text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)) };
  } catch {
    return { number, text: null, problem: 'not UTF-8', bytes };
  }
}
