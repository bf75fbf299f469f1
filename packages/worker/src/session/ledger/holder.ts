import type { RunnerId, SessionId } from '@filepath/protocol';
import { isSecret } from '../../auth/secrets.ts';
import type { Bearer } from '../../gateway/contract.ts';
import { readAgentKey } from '../agent-key.ts';
import type { Holder, NodeTable } from '../node-table.ts';

export type KeyDeps = {
  nodes: NodeTable;
  keyHash: (key: string) => string;
  session: SessionId;
  runner: RunnerId;
};

/** The node whose key this is, if it is alive and its runner asks for it. */
export function holderOf({ nodes, keyHash, session, runner }: KeyDeps, ask: Bearer): Holder | null {
  const claim = readAgentKey(ask.key);
  if (claim?.session !== session || claim.node !== ask.thread) return null;
  if (ask.runner !== runner) return null;
  const row = nodes.holder(claim.node);
  return row && isKey(ask.key, row.key_hash, keyHash) ? row : null;
}

/** Keys that were found good, by their hash: an agent shows its own with every call. */
const good = new Map<string, string>();
const MAX_GOOD = 256;

function isKey(key: string, hash: string | null, keyHash: KeyDeps['keyHash']): boolean {
  if (hash === null) return false;
  const known = good.get(hash);
  if (known !== undefined) return isSecret(key, known);
  if (!isSecret(keyHash(key), hash)) return false;
  if (good.size >= MAX_GOOD) good.clear();
  good.set(hash, key);
  return true;
}
