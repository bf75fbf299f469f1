import { SessionId, ThreadId } from '@filepath/protocol';

const SHAPE = /^fpk_(ses_[0-9A-Za-z]{22})_(th_[0-9A-Za-z]{22})_[0-9a-f]{48}$/;

/** The key an agent holds. It opens nothing without its runner's credential. */
export function newAgentKey(session: DurableObjectId, node: ThreadId): string {
  const secret = [...crypto.getRandomValues(new Uint8Array(24))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return `fpk_${session.name ?? session.toString()}_${node}_${secret}`;
}

/** Whose key it claims to be. Only the session knows whether that is true. */
export function readAgentKey(key: string): { session: SessionId; node: ThreadId } | null {
  const [, session, node] = SHAPE.exec(key) ?? [];
  if (session === undefined || node === undefined) return null;
  return { session: SessionId.parse(session), node: ThreadId.parse(node) };
}
