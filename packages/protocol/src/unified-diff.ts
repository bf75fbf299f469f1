const CONTEXT = 3;
/** Above so many comparisons the changed part is shown as one block: a diff need not be the shortest. */
const MAX_CELLS = 4_000_000;

type Line = { readonly sign: ' ' | '-' | '+'; readonly text: string };

/** A unified diff of two texts, or an empty string if they are the same. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return '';
  const lines = compare(linesOf(before), linesOf(after));
  const name = (side: string, text: string) => (text === '' ? '/dev/null' : `${side}/${path}`);
  return `--- ${name('a', before)}\n+++ ${name('b', after)}\n${hunks(lines)}`;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  if (last !== '') lines.push(`${last}\n\\ No newline at end of file`);
  return lines;
}

function compare(a: readonly string[], b: readonly string[]): Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (lines: readonly string[]) => lines.map((text): Line => ({ sign: ' ', text }));
  return [
    ...same(a.slice(0, start)),
    ...changed(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

/** By the longest common subsequence. */
function changed(a: readonly string[], b: readonly string[]): Line[] {
  const removed = (text: string): Line => ({ sign: '-', text });
  const added = (text: string): Line => ({ sign: '+', text });
  const width = b.length + 1;
  if ((a.length + 1) * width > MAX_CELLS) return [...a.map(removed), ...b.map(added)];
  const length = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => length[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      length[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const out: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      out.push({ sign: ' ', text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      out.push(removed(left));
      i += 1;
    } else if (right !== undefined) {
      out.push(added(right));
      j += 1;
    }
  }
  return out;
}

function hunks(lines: readonly Line[]): string {
  const shown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  );
  let out = '';
  let [before, after] = [1, 1];
  for (let at = 0; at < lines.length;) {
    const hidden = shown.indexOf(false, at);
    const end = hidden === -1 ? lines.length : hidden;
    const hunk = lines.slice(at, end);
    const [old, fresh] = [count(hunk, '-'), count(hunk, '+')];
    if (hunk.length > 0) {
      out += `@@ -${range(before, old)} +${range(after, fresh)} @@\n`;
      out += hunk.map(({ sign, text }) => `${sign}${text}\n`).join('');
    }
    before += old;
    after += fresh;
    at = end;
    while (at < lines.length && !shown[at]) {
      at += 1;
      before += 1;
      after += 1;
    }
  }
  return out;
}

function count(hunk: readonly Line[], sign: '-' | '+'): number {
  return hunk.filter((line) => line.sign === ' ' || line.sign === sign).length;
}

function range(from: number, lines: number): string {
  return lines === 0 ? `${from - 1},0` : `${from},${lines}`;
}
