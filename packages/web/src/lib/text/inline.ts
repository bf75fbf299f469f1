export type Word = { code: boolean; text: string };
export type Piece = { kind: 'prose'; words: Word[] } | { kind: 'fence'; text: string };

const FENCE = /^```[^\n`]*\n([\s\S]*?)^```[^\S\n]*$/gm;
const CODE = /`([^`\n]+)`/g;

/** Agent text as plain pieces: prose with `inline code`, and fenced blocks. Nothing in it becomes markup. */
export function pieces(content: string): Piece[] {
  const out: Piece[] = [];
  const prose = (text: string): void => {
    const trimmed = text.replace(/^\n+|\n+$/g, '');
    if (trimmed !== '') out.push({ kind: 'prose', words: wordsOf(trimmed) });
  };
  let from = 0;
  for (const match of content.matchAll(FENCE)) {
    prose(content.slice(from, match.index));
    out.push({ kind: 'fence', text: (match[1] ?? '').replace(/\n$/, '') });
    from = match.index + match[0].length;
  }
  prose(content.slice(from));
  return out;
}

function wordsOf(text: string): Word[] {
  const out: Word[] = [];
  let from = 0;
  for (const match of text.matchAll(CODE)) {
    if (match.index > from) out.push({ code: false, text: text.slice(from, match.index) });
    out.push({ code: true, text: match[1] ?? '' });
    from = match.index + match[0].length;
  }
  if (from < text.length) out.push({ code: false, text: text.slice(from) });
  return out;
}
