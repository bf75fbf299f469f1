import { SnapshotManifest } from './snapshot.ts';

/** A snapshot begins with one tar header and the manifest, filled up with spaces. */
export const MANIFEST_NAME = 'filepath.json';
export const MANIFEST_BYTES = 4096;
export const SNAPSHOT_HEAD = 512 + MANIFEST_BYTES;

/** The manifest at the beginning of a snapshot; null: these bytes begin none of a kind that is known here. */
export function readSnapshotHead(bytes: Uint8Array): SnapshotManifest | null {
  if (bytes.length < SNAPSHOT_HEAD) return null;
  const text = new TextDecoder();
  const name = text.decode(bytes.subarray(0, 100)).replace(/\0.*$/s, '');
  const size = text.decode(bytes.subarray(124, 135));
  if (name !== MANIFEST_NAME || Number.parseInt(size, 8) !== MANIFEST_BYTES) return null;
  try {
    const json: unknown = JSON.parse(text.decode(bytes.subarray(512, SNAPSHOT_HEAD)));
    return SnapshotManifest.safeParse(json).data ?? null;
  } catch {
    return null;
  }
}
