/** Headers that concern one connection, not the message that passes through. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export type Headers = Record<string, string | string[]>;

/** Headers that go on to the other side, by lower-case name. `raw`: names and values in turn, as they came. */
export function endToEnd(raw: readonly string[]): Headers {
  const pairs = raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? '']] : [],
  );
  const named = new Set(
    pairs.flatMap(([name, value]) =>
      name === 'connection' ? value.split(',').map((item) => item.trim().toLowerCase()) : [],
    ),
  );
  const kept: Headers = Object.create(null) as Headers;
  for (const [name, value] of pairs) {
    // Without its length the body of a message would have no end.
    const ours = named.has(name) && name !== 'content-length';
    if (HOP_BY_HOP.has(name) || name.startsWith('proxy-') || ours) continue;
    const before = kept[name];
    kept[name] = before === undefined ? value : [before, value].flat();
  }
  return kept;
}
