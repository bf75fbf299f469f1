import type { ChangedFile, Hunk } from '@filepath/protocol';

export type DiffRow = {
  kind: 'same' | 'add' | 'del' | 'note';
  /** Numbers of the line before and after; null on the side that lacks it. */
  old: number | null;
  new: number | null;
  text: string;
};

/** Two sides of a diff: what was removed stands beside what took its place. */
export type SplitRow = { left: DiffRow | null; right: DiffRow | null };

export function rowsOf({ from, to, text }: Hunk): DiffRow[] {
  let [old] = from;
  let [now] = to;
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
  return lines.map((line) => {
    const rest = line.slice(1);
    switch (line[0]) {
      case '+':
        return { kind: 'add', old: null, new: now++, text: rest };
      case '-':
        return { kind: 'del', old: old++, new: null, text: rest };
      case '\\':
        return { kind: 'note', old: null, new: null, text: rest.trim() };
      default:
        return { kind: 'same', old: old++, new: now++, text: rest };
    }
  });
}

export function splitRows(rows: readonly DiffRow[]): SplitRow[] {
  const out: SplitRow[] = [];
  let removed: DiffRow[] = [];
  let added: DiffRow[] = [];
  const flush = (): void => {
    for (let n = 0; n < Math.max(removed.length, added.length); n += 1) {
      out.push({ left: removed[n] ?? null, right: added[n] ?? null });
    }
    removed = [];
    added = [];
  };
  for (const row of rows) {
    if (row.kind === 'del' || (row.kind === 'note' && added.length === 0 && removed.length > 0)) {
      if (added.length > 0) flush();
      removed.push(row);
    } else if (row.kind === 'add' || (row.kind === 'note' && added.length > 0)) {
      added.push(row);
    } else {
      flush();
      out.push({ left: row, right: row });
    }
  }
  flush();
  return out;
}

export function hunkTitle({ from, to }: Hunk): string {
  const place = ([first, count]: readonly [number, number]): string =>
    count === 1 ? `${first}` : `${first},${count}`;
  return `@@ -${place(from)} +${place(to)} @@`;
}

export function countsOf(files: readonly ChangedFile[]): { added: number; removed: number } {
  return {
    added: files.reduce((sum, file) => sum + (file.additions ?? 0), 0),
    removed: files.reduce((sum, file) => sum + (file.deletions ?? 0), 0),
  };
}

/** What a file is told from a later state of it by. One whose hunks are left out is another with each commit. */
export function signatureOf(file: ChangedFile, head: string): string {
  if (file.truncated || file.binary) return `${head} ${file.status} ${file.uncommitted}`;
  let hash = 5381;
  for (const { from, text } of file.hunks) {
    for (const char of `${from[0]} ${text}`) hash = ((hash << 5) + hash + char.charCodeAt(0)) | 0;
  }
  return `${file.status} ${file.additions} ${file.deletions} ${hash}`;
}

/** Files that were moved without a change: the new path, and the one before. */
export function renamesIn(files: readonly ChangedFile[]): ReadonlyMap<string, string> {
  const gone = new Map<string, string>();
  for (const file of files) {
    const text = file.status === 'deleted' ? wholeOf(file) : null;
    if (text !== null) gone.set(text, file.path);
  }
  const renamed = new Map<string, string>();
  for (const file of files) {
    const text = file.status === 'added' ? wholeOf(file) : null;
    const before = text === null ? undefined : gone.get(text);
    if (text === null || before === undefined) continue;
    renamed.set(file.path, before);
    gone.delete(text);
  }
  return renamed;
}

function wholeOf(file: ChangedFile): string | null {
  const [hunk, ...more] = file.hunks;
  if (hunk === undefined || more.length > 0 || file.truncated) return null;
  return rowsOf(hunk)
    .map(({ text }) => text)
    .join('\n');
}

export type Lines = readonly [number, number];

/** The lines that a file had before and that were changed, first and last; an insertion stands between two. */
export function changedLines(hunks: readonly Hunk[]): Lines[] {
  return hunks.flatMap((hunk) => {
    const out: Lines[] = [];
    let last = hunk.from[0] - (hunk.from[1] === 0 ? 0 : 1);
    for (const row of rowsOf(hunk)) {
      if (row.kind === 'del' && row.old !== null) out.push([row.old, row.old]);
      else if (row.kind === 'add') out.push([last, last + 1]);
      if (row.old !== null) last = row.old;
    }
    return out;
  });
}

/** Whether two of them are the same, or touch. */
export function meet(one: readonly Lines[], other: readonly Lines[]): boolean {
  return one.some(([from, to]) => other.some(([start, end]) => from <= end + 1 && start <= to + 1));
}

export function shortHash(hash: string): string {
  return hash.slice(0, 7);
}
