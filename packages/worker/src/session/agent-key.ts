import { SessionId, ThreadId } from '@filepath/protocol';

const SHAPE = /^fpk_(ses_[0-9A-Za-z]{22})_(th_[0-9A-Za-z]{22})_[0-9a-f]{48}$/;

/** The key an agent holds. It opens nothing without its runner's credential. */
export function newAgentKey(session: DurableObjectId, node: ThreadId): string {
  const secret = [...crypto.getRandomValues(new Uint8Array(24))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return `fpk_${session.name ?? session.toString()}_${node}_${secret}`;
}

type Claim = { readonly session: SessionId; readonly node: ThreadId };

/** The last that were read: an agent shows its own with every call. */
const read = new Map<string, Claim>();
const MAX_READ = 256;

/** Whose key it claims to be. Only the session knows whether that is true. */
export function readAgentKey(key: string): Claim | null {
  const known = read.get(key);
  if (known) return known;
  const [, session, node] = SHAPE.exec(key) ?? [];
  if (session === undefined || node === undefined) return null;
  const claim = { session: SessionId.parse(session), node: ThreadId.parse(node) };
  if (read.size >= MAX_READ) read.clear();
  read.set(key, claim);
  return claim;
}
