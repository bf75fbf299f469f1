import { changedParts, type Part } from './diff-words.ts';
import { shortened, visible } from './visible.ts';

export type DiffLine = {
  kind: 'add' | 'del' | 'head' | 'file' | 'same';
  text: string;
  /** The line in parts, where some of its words changed. */
  parts?: readonly Part[];
};

const LINE_CHARS = 2000;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** What git says of a file before its hunks. */
const FILE =
  /^(diff |index |--- |\+\+\+ |new file|deleted file|old mode|new mode|similarity |rename |copy |Binary )/;

/** A unified diff in lines. The counts of a hunk tell what belongs to it, so that a removed `-- x` is no file name. */
export function diffLines(diff: string): DiffLine[] {
  const out: DiffLine[] = [];
  let left = { old: 0, new: 0 };
  for (const raw of diff.replaceAll('\r\n', '\n').trimEnd().split('\n')) {
    const text = visible(shortened(raw, LINE_CHARS));
    const hunk = HUNK.exec(raw);
    if (hunk !== null) {
      left = { old: Number(hunk[1] ?? 1), new: Number(hunk[2] ?? 1) };
      out.push({ kind: 'head', text });
      continue;
    }
    const inside = left.old > 0 || left.new > 0;
    const kind = !inside && FILE.test(raw) ? 'file' : kindOf(raw);
    if (kind === 'add' || kind === 'same') left.new -= 1;
    if (kind === 'del' || kind === 'same') left.old -= 1;
    out.push({ kind, text });
  }
  return changedParts(oneFile(out));
}

/** Of a single file its name stands in the header of the block. */
function oneFile(lines: readonly DiffLine[]): DiffLine[] {
  const files = lines.filter(({ kind, text }) => kind === 'file' && text.startsWith('+++ '));
  const named = /^(diff |index |--- |\+\+\+ )/;
  return lines.filter(({ kind, text }) => files.length > 1 || kind !== 'file' || !named.test(text));
}

export function diffCounts(lines: readonly DiffLine[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.kind === 'add').length,
    removed: lines.filter((line) => line.kind === 'del').length,
  };
}

function kindOf(line: string): DiffLine['kind'] {
  if (line.startsWith('+')) return 'add';
  if (line.startsWith('-')) return 'del';
  return 'same';
}
