import type { Hunk } from '@filepath/protocol';
import { Refusal } from '../executor/executor.ts';
import { PATCH_BYTES } from './diff-script.ts';
import { recordsOf, sectionNamed, sectionsOf } from './sections.ts';

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const STATUS = { A: 'added', M: 'modified', D: 'deleted', T: 'type' } as const;
const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([AMDT])$/;
const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
const NO_OBJECT = /^0+$/;

export type DiffFile = {
  path: string;
  status: (typeof STATUS)[keyof typeof STATUS];
  /** As git writes them; zeros where there is no file. */
  modes: readonly [string, string];
  /** Hashes of the content; null where there is none. */
  from: string | null;
  to: string | null;
  /** Null: binary, or not counted. */
  counts: { additions: number; deletions: number } | null;
  committed: boolean;
  uncommitted: boolean;
  /** Null: they did not fit. */
  hunks: Hunk[] | null;
  /** The first of those that did not fit. */
  first: Hunk[];
  /** Where a file that is gone is now. */
  renamed: string | null;
  /** How the file came from the remote's branch to where the work began; null where it is the same. */
  origin: PatchedFile | null;
};

export type PatchedFile = Pick<
  DiffFile,
  'path' | 'status' | 'modes' | 'from' | 'to' | 'hunks' | 'first'
>;

export type Diff = {
  base: string | null;
  head: string;
  partial: boolean;
  dirty: boolean;
  files: DiffFile[];
};

/** What the script told of a workspace. All of it is said inside the agent's sandbox. Throws a Refusal. */
export function readDiff(bytes: Buffer): Diff {
  const sections = sectionsOf(bytes);
  const of = (name: string): Buffer => sectionNamed(sections, name);
  const [base = '', head = '', changed = '', whole = ''] = of('head')
    .toString('latin1')
    .trim()
    .split(/ +/);
  if (!HASH.test(head) || !/^\d{1,9}$/.test(changed)) {
    throw new Refusal('the workspace did not say where its work stands');
  }
  const counts = new Map(recordsOf(of('counts')).map(countOf));
  const committed = new Set(recordsOf(of('committed')));
  const uncommitted = new Set(recordsOf(of('uncommitted')));
  const renames = renamesOf(recordsOf(of('renames')));
  const origins = new Map(
    patchedOf(of('origin'), of('origin-patch'))
      .filter(({ from, to }) => from !== to)
      .map((file) => [file.path, file]),
  );
  const files = patchedOf(of('raw'), of('patch')).map((file): DiffFile => {
    const { path } = file;
    return {
      ...file,
      counts: counts.get(path) ?? null,
      committed: committed.has(path),
      uncommitted: uncommitted.has(path),
      renamed: renames.get(path) ?? null,
      origin: origins.get(path) ?? null,
    };
  });
  return {
    base: HASH.test(base) ? base : null,
    head,
    partial: whole !== 'all',
    dirty: Number(changed) > 0,
    files,
  };
}

function patchedOf(raw: Buffer, patch: Buffer): PatchedFile[] {
  const patches = patchesOf(patch);
  return rawOf(raw).map((file) => {
    const parts = patches.splice(0, file.status === 'type' ? 2 : 1);
    const cut = parts.length === 0 || parts.some((part) => part.cut);
    const hunks = parts.flatMap((part) => part.hunks);
    return { ...file, hunks: cut ? null : hunks, first: cut ? hunks : [] };
  });
}

/** From the old path to the new one. */
function renamesOf(records: readonly string[]): Map<string, string> {
  const renames = new Map<string, string>();
  for (let at = 0; at + 2 < records.length; at += 3) {
    const [from = '', to = ''] = records.slice(at + 1, at + 3);
    if (to !== '' && to.length <= 4096) renames.set(from, to);
  }
  return renames;
}

type RawFile = Pick<DiffFile, 'path' | 'status' | 'modes' | 'from' | 'to'>;

function rawOf(bytes: Buffer): RawFile[] {
  const records = recordsOf(bytes);
  const files: RawFile[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [, before = '', after = '', from = '', to = '', letter = ''] =
      RAW.exec(records[at] ?? '') ?? [];
    const path = records[at + 1] ?? '';
    const status = letter in STATUS ? STATUS[letter as keyof typeof STATUS] : null;
    if (status === null) throw new Refusal('the workspace gave a list that cannot be read');
    if (path !== '' && path.length <= 4096) {
      const modes = [before, after] as const;
      files.push({ path, status, modes, from: objectOf(from), to: objectOf(to) });
    }
  }
  return files;
}

const objectOf = (hash: string): string | null =>
  HASH.test(hash) && !NO_OBJECT.test(hash) ? hash : null;

function countOf(record: string): [string, DiffFile['counts']] {
  const [, additions = '', deletions = '', path = ''] =
    /^(\d{1,9}|-)\t(\d{1,9}|-)\t([^]*)$/.exec(record) ?? [];
  if (additions === '-' || additions === '') return [path, null];
  return [path, { additions: Number(additions), deletions: Number(deletions) }];
}

type Patch = { hunks: Hunk[]; cut: boolean };

/** One list of hunks for each file, in order. */
function patchesOf(bytes: Buffer): Patch[] {
  const patches: Patch[] = [];
  const cut = bytes.length >= PATCH_BYTES;
  const lines = bytes.toString('utf8').split('\n');
  // The last line may have been cut too.
  if (cut) lines.pop();
  let hunks: Hunk[] = [];
  for (const line of lines) {
    if (line.startsWith('diff --git ')) {
      hunks = [];
      patches.push({ hunks, cut: false });
      continue;
    }
    const head = HUNK.exec(line);
    if (head !== null) {
      const at = (index: number): number => Number(head[index] ?? 1);
      hunks.push({ from: [at(1), at(2)], to: [at(3), at(4)], text: '' });
      continue;
    }
    const last = hunks.at(-1);
    if (last !== undefined && /^[ +\\-]/.test(line)) last.text += `${line}\n`;
  }
  const last = patches.at(-1);
  if (cut && last !== undefined) last.cut = true;
  return patches;
}
