import type { DiffLine } from './diff.ts';

/** A part of a line; `changed`: it differs from the line it replaces. */
export type Part = { text: string; changed: boolean };

const WORD = /\w+|\s+|[^\w\s]/gu;
/** Lines that have less in common are another line, not a changed one. */
const ALIKE = 0.3;

/** Marks what changed within lines: as many removed ones, followed by as many added ones, are pairs. */
export function changedParts(lines: readonly DiffLine[]): DiffLine[] {
  const out = [...lines];
  for (let at = 0; at < out.length;) {
    const removed = run(out, at, 'del');
    const added = run(out, at + removed, 'add');
    if (removed > 0 && removed === added) {
      for (let line = at; line < at + removed; line += 1) markPair(out, line, line + removed);
    }
    at += Math.max(1, removed + added);
  }
  return out;
}

function run(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let length = 0;
  while (lines[from + length]?.kind === kind) length += 1;
  return length;
}

function markPair(lines: DiffLine[], before: number, after: number): void {
  const [old, fresh] = [lines[before], lines[after]];
  if (old === undefined || fresh === undefined) return;
  const [a, b] = [wordsOf(old.text), wordsOf(fresh.text)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (
    tail < Math.min(a.length, b.length) - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail += 1;
  const common = [...a.slice(0, head), ...a.slice(a.length - tail)].join('').trim().length;
  if (common < ALIKE * Math.max(old.text.length, fresh.text.length)) return;
  lines[before] = { ...old, parts: partsOf(old.text, a, head, tail) };
  lines[after] = { ...fresh, parts: partsOf(fresh.text, b, head, tail) };
}

/** Without the sign. */
function wordsOf(line: string): string[] {
  return line.slice(1).match(WORD) ?? [];
}

function partsOf(line: string, words: readonly string[], head: number, tail: number): Part[] {
  const end = words.length - tail;
  return [
    { text: line.slice(0, 1) + words.slice(0, head).join(''), changed: false },
    { text: words.slice(head, end).join(''), changed: true },
    { text: words.slice(end).join(''), changed: false },
  ].filter(({ text }) => text !== '');
}
