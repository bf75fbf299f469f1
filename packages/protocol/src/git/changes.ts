import { z } from 'zod';
import { CommitHash } from './commit-hash.ts';

/** Most files of one answer, and most of its bytes as JSON. */
export const CHANGES_FILES = 1000;
export const CHANGES_BYTES = 1024 * 1024;

const place = z.tuple([z.int().min(0), z.int().min(0)]);
const Path = z.string().min(1).max(4096);

/** A part of a file that differs. `from` and `to` are first line and number of lines, before and after. */
export const Hunk = z.strictObject({
  from: place,
  to: place,
  /** Lines that begin with a space, `+`, `-` or a backslash. */
  text: z.string(),
});
export type Hunk = z.infer<typeof Hunk>;

export const ChangedFile = z.strictObject({
  path: Path,
  status: z.enum(['added', 'modified', 'deleted', 'type']),
  /** What it is, where that is no plain file: its lines are where it leads, or the commit that it names. */
  kind: z.enum(['link', 'submodule']).optional(),
  /** It became, or is no more, a program that can be run. */
  executable: z.boolean().optional(),
  /** Null: it is binary. */
  additions: z.int().min(0).nullable(),
  deletions: z.int().min(0).nullable(),
  binary: z.boolean(),
  /** It differs between where the work began and HEAD; between HEAD and what is in the folder. */
  committed: z.boolean(),
  uncommitted: z.boolean(),
  hunks: z.array(Hunk),
  /** Hunks are left out: ask for this file alone. Of one that was: those after the first that fit. */
  truncated: z.boolean(),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

/** What an agent changed since its workspace was made, committed or not. */
export const Changes = z.strictObject({
  /** The commit at which the work began. Null: everything counts as new. */
  base: CommitHash.nullable(),
  head: CommitHash,
  files: z.array(ChangedFile).max(CHANGES_FILES),
  /** There are more files. */
  truncated: z.boolean(),
  /** Some files could not be read, or were too large or too many to be looked at. */
  partial: z.boolean(),
});
export type Changes = z.infer<typeof Changes>;

/** Most files of a report, and most ranges of one of them: beyond it, one range holds all. */
export const TOUCHED_FILES = 200;
export const TOUCHED_RANGES = 50;

const ranges = z.array(place).max(TOUCHED_RANGES);

/** A file that an agent changed, by the lines that it had before. */
export const TouchedFile = z.strictObject({
  path: Path,
  /** Hashes of its content before and after; null where there is none. */
  from: CommitHash.nullable(),
  to: CommitHash.nullable(),
  ranges,
  /** Where a file that is gone is now. */
  renamed: Path.optional(),
  /**
   * Where the work began with another content than the branch of the remote has: that content, the same changes by its
   * lines, and the lines that were changed before the work began. By it agents are compared that began at different commits.
   */
  origin: z.strictObject({ from: CommitHash.nullable(), ranges, had: ranges }).optional(),
});
export type TouchedFile = z.infer<typeof TouchedFile>;

/** Where an agent's work stands: the newest report replaces the one before. */
export const Touched = z.strictObject({
  head: CommitHash,
  /** There is work that is not committed. */
  dirty: z.boolean(),
  files: z.array(TouchedFile).max(TOUCHED_FILES),
});
export type Touched = z.infer<typeof Touched>;

/** Where an agent's work stands, as its node shows it. `files`: how many it changed; the most that are told is 200. */
export const NodeWork = z.object({
  head: CommitHash,
  dirty: z.boolean(),
  files: z.int().min(0),
});
export type NodeWork = z.infer<typeof NodeWork>;
