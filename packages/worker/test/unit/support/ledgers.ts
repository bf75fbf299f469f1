import {
  type Budget,
  newCallId,
  newSessionId,
  NO_TOKENS,
  RunnerId,
  type ThreadId,
  type TokenCounts,
} from '@filepath/protocol';
import type { Ask, Grant, Outcome, Price } from '../../../src/gateway/contract.ts';
import { USUAL_CAPS } from '../../../src/session/caps.ts';
import { TreeLedger } from '../../../src/session/ledger/ledger.ts';
import type { Limit } from '../../../src/session/ledger/money.ts';
import { SESSION_MIGRATIONS } from '../../../src/session/schema.ts';
import { Session } from '../../../src/session/session.ts';
import { migrate } from '../../../src/storage/schema.ts';
import { nodeHashing } from '../../../src/thread/node-hashing.ts';
import { nodeSql } from './node-sql.ts';

export const RUNNER = RunnerId.parse('rn_local');
/** 1 dollar for a million tokens of input, 2 for output. */
export const PRICE: Price = { input: 1000, output: 2000, cacheRead: 100, cacheWrite: 1250 };
const custom = { agentType: 'custom' as const, config: { command: ['true'] } };

export const tokens = (counts: Partial<TokenCounts>): TokenCounts => ({ ...NO_TOKENS, ...counts });

export const ended = (counts: Partial<TokenCounts> | null): Outcome => ({
  outcome: counts === null ? 'cut' : 'completed',
  status: 200,
  firstByteMs: 1,
  durationMs: 5,
  tokens: counts && tokens(counts),
});

/** A tree with its ledger, on a clock that the test moves. The user has no budget unless told. */
export function newTree(lease: Limit | null = { tokens: null, nano: null }) {
  const sql = nodeSql();
  migrate(sql, SESSION_MIGRATIONS);
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  const now = () => clock.now;
  const id = newSessionId();
  const keys = new Map<string, string>();
  const newKey = (node: ThreadId) => {
    const key = `fpk_${id}_${node}_${nodeHashing.sha256(node).slice(0, 48)}`;
    keys.set(node, key);
    return key;
  };
  const at = new Date(clock.now).toISOString();
  const keyHash = nodeHashing.sha256;
  const revoked = { times: 0 };
  const revoke = (): void => {
    revoked.times += 1;
  };
  const meta = { id, owner: 'owner', name: 's', gitRepoUrl: null, createdAt: at, updatedAt: at };
  const session = new Session(
    { sql, now, newKey, keyHash, caps: USUAL_CAPS, revoke },
    { ...meta, head: 1, changeSeq: 1, started: false, stopped: false },
  );
  const { accounts, nodes } = session;
  const deps = { sql, now, keyHash, session: id, runner: RUNNER, accounts, nodes, revoke };
  const ledger = new TreeLedger(deps);
  if (lease) ledger.lease.take(0, lease);

  const ask = (node: ThreadId, more: Partial<Ask> = {}): Ask => ({
    call: newCallId(),
    key: keys.get(node) ?? '',
    runner: RUNNER,
    thread: node,
    format: 'anthropic',
    provider: 'test',
    model: 'test/model',
    price: PRICE,
    inputBound: 1000,
    outputBound: 4000,
    ...more,
  });
  return {
    sql,
    clock,
    session,
    ledger,
    accounts,
    ask,
    keys,
    /** How often calls were told to wait for the session's word again. */
    revoked,
    /** The same storage, read anew: what an eviction leaves. */
    reopened: () => new TreeLedger(deps),
    add: (parentId: ThreadId | null = null, budget?: Budget) =>
      session.addNode({ ...custom, parentId, ...(budget && { budget }) }).id,
    reserve: (node: ThreadId, more: Partial<Ask> = {}) => {
      const given = ask(node, more);
      return { call: given.call, grant: granted(ledger.reserve(given, true)) };
    },
    told: (node: ThreadId) => ledger.events.of(node).map(({ body }) => body),
    node: (node: ThreadId) => session.node(node),
  };
}

export type TestTree = ReturnType<typeof newTree>;

function granted(answer: ReturnType<TreeLedger['reserve']>): Grant {
  if ('want' in answer) throw new Error('a last word wants nothing');
  return answer;
}
