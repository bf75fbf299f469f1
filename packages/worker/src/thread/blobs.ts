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
