import { blobKey, type ThreadId } from '@filepath/protocol';
import type { Offloaded } from './lines.ts';

export interface BlobStore {
  put(key: string, text: string): Promise<void>;
}

/** Puts large bodies where they are kept, before the events that refer to them are stored. */
export async function offload(
  store: BlobStore,
  sha256: (text: string) => string,
  thread: ThreadId,
  lines: readonly string[],
): Promise<Offloaded> {
  const out = new Map<string, { sha256: string; bytes: number }>();
  for (const line of lines) {
    const hash = sha256(line);
    await store.put(blobKey(thread, hash), line);
    out.set(line, { sha256: hash, bytes: new TextEncoder().encode(line).length });
  }
  return out;
}

/** Deletes all blobs of a thread. */
export async function removeBlobs(bucket: R2Bucket, thread: ThreadId): Promise<void> {
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix: blobKey(thread, ''), limit: 1000 });
    if (objects.length > 0) await bucket.delete(objects.map((object) => object.key));
    if (!truncated) return;
  }
}
