import {
  type ChangedFile,
  type Changes,
  CHANGES_BYTES,
  CHANGES_FILES,
  type Touched,
  type TouchedFile,
  TOUCHED_FILES,
  TOUCHED_RANGES,
} from '@filepath/protocol';
import { MIRROR } from '../executor/clone.ts';
import type { Place } from '../executor/executor.ts';
import { inWorkspace, type WorkspaceTools } from '../jobs/workspace-command.ts';
import { recordedBase } from './base.ts';
import { DIFF, DIFF_BYTES } from './diff-script.ts';
import { firstHunks } from './first-hunks.ts';
import { type Range, rangesBefore } from './ranges-before.ts';
import { type Diff, type DiffFile, type PatchedFile, readDiff } from './read-diff.ts';
import { collect } from './sections.ts';

const TIMEOUT_MS = 20_000;
const CONTEXT = '3';
/** Room for the rest of the frame that carries the answer. */
const ROOM = CHANGES_BYTES - 4096;

export type Look = WorkspaceTools & { place: Place; mirror: string | null; signal: AbortSignal };

/** What the agent changed, or one file of it with as many of its hunks as fit. Throws a Refusal. */
export async function changesOf(job: Look, file?: string): Promise<Changes> {
  const { base, head, partial, files } = await diffOf(job, CONTEXT, file ?? '');
  const shown = files.filter(({ path }) => file === undefined || path === file);
  const list: ChangedFile[] = [];
  let room = ROOM;
  for (const each of shown.slice(0, CHANGES_FILES)) {
    const whole = changedFile(each);
    const bytes = sizeOf(whole);
    const fits = bytes <= room && !whole.truncated;
    const entry = fits ? whole : { ...whole, hunks: [], truncated: true };
    room -= fits ? bytes : sizeOf(entry);
    // Asked for alone it has as much as fits.
    if (!fits && file !== undefined) entry.hunks = firstHunks(each.hunks ?? each.first, room);
    if (room < 0) break;
    list.push(entry);
  }
  return { base, head, files: list, truncated: list.length < shown.length, partial };
}

/** Which lines of which files the agent changed, by the lines that were there before. Throws a Refusal. */
export async function touchedBy(job: Look): Promise<Touched> {
  const { head, dirty, files } = await diffOf(job, 'ranges', '');
  return { head, dirty, files: files.slice(0, TOUCHED_FILES).map(touchedFile) };
}

async function diffOf(job: Look, context: string, file: string): Promise<Diff> {
  const { place, mirror, signal } = job;
  const { onStdout, bytes } = collect(DIFF_BYTES);
  await inWorkspace(job, {
    place,
    mirror,
    script: DIFF,
    args: ['changes', mirror === null ? '' : MIRROR, recordedBase(place) ?? '', context, file],
    readOnly: true,
    onStdout,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  return readDiff(bytes());
}

function changedFile({
  path,
  status,
  modes,
  counts,
  committed,
  uncommitted,
  hunks,
}: DiffFile): ChangedFile {
  return {
    path,
    status,
    ...kindOf(modes),
    additions: counts?.additions ?? null,
    deletions: counts?.deletions ?? null,
    binary: counts === null,
    committed,
    uncommitted,
    hunks: hunks ?? [],
    truncated: hunks === null,
  };
}

const KINDS: Readonly<Record<string, ChangedFile['kind']>> = {
  '120000': 'link',
  '160000': 'submodule',
};
const PROGRAM = '100755';

function kindOf([before, after]: DiffFile['modes']): Pick<ChangedFile, 'kind' | 'executable'> {
  const kind = KINDS[Number(after) === 0 ? before : after];
  const plain = [before, after].every((mode) => mode.startsWith('100'));
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(plain && before !== after ? { executable: after === PROGRAM } : {}),
  };
}

function touchedFile({ path, from, to, hunks, renamed, origin }: DiffFile): TouchedFile {
  const ranges = hunks?.map((hunk) => hunk.from) ?? null;
  return {
    path,
    from,
    to,
    ranges: bounded(ranges),
    ...(renamed === null ? {} : { renamed }),
    ...(origin === null ? {} : { origin: inOrigin(ranges, origin) }),
  };
}

function inOrigin(
  ranges: Range[] | null,
  { from, hunks }: PatchedFile,
): NonNullable<TouchedFile['origin']> {
  const had = hunks?.map((hunk) => hunk.from) ?? [];
  // It is not text: no lines of it are known.
  if (hunks?.length === 0) return { from, ranges: [], had };
  return {
    from,
    ranges: bounded(hunks && ranges && rangesBefore(ranges, hunks)),
    had: had.length <= TOUCHED_RANGES ? had : [],
  };
}

/** Null: they are not known. */
const bounded = (ranges: Range[] | null): Range[] =>
  ranges !== null && ranges.length <= TOUCHED_RANGES ? ranges : [[0, 999_999_999]];

const sizeOf = (file: ChangedFile): number => Buffer.byteLength(JSON.stringify(file)) + 1;
