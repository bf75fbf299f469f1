import { z } from 'zod';
import { CommitHash } from '../git/commit-hash.ts';
import { SnapshotId, ThreadId } from '../ids.ts';
import { LIMITS } from '../limits.ts';

/** The layout of a snapshot: a tar whose first entry is the manifest, and then everything below `workspace/`. */
export const SNAPSHOT_VERSION = 1;

const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'expected a sha256 in hex');

/** What a snapshot says about itself. It is a claim of whoever made the archive. */
export const SnapshotManifest = z.strictObject({
  version: z.literal(SNAPSHOT_VERSION),
  slug: z.string().max(80),
  /** Without credentials. */
  remote: z.string().max(512).nullable(),
  branch: z.string().max(256).nullable(),
  head: CommitHash.nullable(),
  /** Whether something was not committed; null: no repository. */
  dirty: z.boolean().nullable(),
  created: z.iso.datetime(),
  /** Files, folders and links in it, and the bytes of the files. */
  files: count,
  bytes: count,
  /** What was left out: pipes, sockets and devices; links that lead out; what its own user cannot read. */
  left: z.strictObject({ special: count, links: count, unreadable: count }),
});
export type SnapshotManifest = z.infer<typeof SnapshotManifest>;

export const Snapshot = z.strictObject({
  id: SnapshotId,
  /** The agent it was made of; null: it was brought from elsewhere. */
  thread: ThreadId.nullable(),
  sha256,
  /** Of the archive. */
  size: z.int().min(1).max(LIMITS.snapshot),
  manifest: SnapshotManifest,
});
export type Snapshot = z.infer<typeof Snapshot>;

/** The archive that a workspace is made from. */
export const SnapshotSource = Snapshot.pick({ id: true, sha256: true, size: true });
export type SnapshotSource = z.infer<typeof SnapshotSource>;
