import type { ThreadId } from '@filepath/protocol';

/** The key an agent holds. It opens nothing without its runner's credential. */
export function newAgentKey(session: DurableObjectId, node: ThreadId): string {
  const secret = [...crypto.getRandomValues(new Uint8Array(24))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return `fpk_${session.name ?? session.toString()}_${node}_${secret}`;
}
