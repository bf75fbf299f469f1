export type Piece = { kind: 'text' | 'code' | 'fence'; text: string };

const FENCE = /^```[^\n`]*\n([\s\S]*?)^```[^\S\n]*$/gm;
const CODE = /`([^`\n]+)`/g;

/** Agent text as plain pieces: prose, `inline code` and fenced blocks. Nothing in it becomes markup. */
export function pieces(content: string): Piece[] {
  const out: Piece[] = [];
  split(content, FENCE, 'fence', out, (prose) =>
    split(prose, CODE, 'code', out, (text) => add(out, text)),
  );
  return out;
}

function split(
  source: string,
  pattern: RegExp,
  kind: Piece['kind'],
  out: Piece[],
  rest: (text: string) => void,
): void {
  let from = 0;
  for (const match of source.matchAll(pattern)) {
    rest(source.slice(from, match.index));
    out.push({ kind, text: match[1] ?? '' });
    from = match.index + match[0].length;
  }
  rest(source.slice(from));
}

function add(out: Piece[], text: string): void {
  if (text !== '') out.push({ kind: 'text', text });
}
