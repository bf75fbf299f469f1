import type { SnapshotId, SnapshotSource } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { notFound } from '../result.ts';
import { findSnapshot } from './store.ts';

/** The snapshot that a node is to be made from, which must be the caller's. */
export async function snapshotSource(
  env: Env,
  user: string,
  id: SnapshotId | undefined,
): Promise<SnapshotSource | null> {
  if (id === undefined) return null;
  const found = await findSnapshot(env.BLOBS, user, id);
  if (!found) throw notFound('this snapshot');
  const { sha256, size } = found;
  return { id, sha256, size };
}
