import { BlobRef } from '../thread/bodies.ts';
import type { LogEvent } from '../thread/log-event.ts';
import type { Base, BlobBlock, UnknownBlock } from './block.ts';

const SHOWN = 16 * 1024;

/** A reference to a body in the blob store has these three keys and no other; an agent's event that has more is its own. */
export function blobBlock(base: Base, body: unknown): BlobBlock | null {
  if (typeof body !== 'object' || body === null || !('ref' in body)) return null;
  if (Object.keys(body).length !== 3) return null;
  const parsed = BlobRef.safeParse(body);
  if (!parsed.success) return null;
  const { type, ref, bytes } = parsed.data;
  return { ...base, kind: 'blob', type, sha256: ref.slice(-64), bytes };
}

export function unknownBlock(base: Base, event: LogEvent): UnknownBlock {
  return { ...base, kind: 'unknown', source: event.source, json: jsonOf(event.body) };
}

function jsonOf(body: unknown): string {
  try {
    const json = JSON.stringify(body) ?? 'null';
    return json.length <= SHOWN ? json : `${json.slice(0, SHOWN)}…`;
  } catch {
    return '(not JSON)';
  }
}
