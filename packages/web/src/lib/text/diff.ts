export type DiffLine = { kind: 'add' | 'del' | 'head' | 'same'; text: string };

export function diffLines(diff: string): DiffLine[] {
  return diff
    .trimEnd()
    .split('\n')
    .map((text) => ({ kind: kindOf(text), text }));
}

export function diffCounts(lines: readonly DiffLine[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.kind === 'add').length,
    removed: lines.filter((line) => line.kind === 'del').length,
  };
}

function kindOf(line: string): DiffLine['kind'] {
  if (/^(@@|diff |index |\+\+\+ |--- )/.test(line)) return 'head';
  if (line.startsWith('+')) return 'add';
  if (line.startsWith('-')) return 'del';
  return 'same';
}
