/** Bytes from `start` up to `end` give way to `text`. */
export type Splice = { readonly start: number; readonly end: number; readonly text: string };

/** The bytes with some of them replaced; everything else stays as it was. Splices do not overlap. */
export function spliced(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  if (splices.length === 0) return bytes;
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, text } of splices.toSorted((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(at, start), encoder.encode(text));
    at = end;
  }
  parts.push(bytes.subarray(at));
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let to = 0;
  for (const part of parts) {
    out.set(part, to);
    to += part.length;
  }
  return out;
}
