import { newSessionId, type ThreadId } from '@filepath/protocol';
import { type Caps, USUAL_CAPS } from '../../../src/session/caps.ts';
import { SESSION_MIGRATIONS } from '../../../src/session/schema.ts';
import { openSession, Session } from '../../../src/session/session.ts';
import { migrate } from '../../../src/storage/schema.ts';
import { nodeSql } from './node-sql.ts';

export const custom = { agentType: 'custom' as const, config: { command: ['true'] } };

/** A session on a clock that the test moves. */
export function newSession(caps: Partial<Caps> = {}) {
  const sql = nodeSql();
  migrate(sql, SESSION_MIGRATIONS);
  const at = '2026-01-01T00:00:00.000Z';
  const clock = { now: Date.parse(at) };
  const waiting = new Set<string>();
  const deps = {
    sql,
    now: () => clock.now,
    newKey: () => 'key',
    keyHash: (key: string) => key,
    caps: { ...USUAL_CAPS, ...caps },
    revoke: () => undefined,
    waiting: () => waiting,
  };
  const session = new Session(deps, {
    id: newSessionId(),
    owner: 'owner',
    name: 's',
    gitRepoUrl: null,
    createdAt: at,
    updatedAt: at,
    head: 1,
    changeSeq: 1,
    started: false,
    stopped: false,
  });
  let seq = 0;
  return {
    sql,
    session,
    clock,
    /** Parents that wait for their children. */
    waiting,
    /** The same storage, read anew: what an eviction leaves. */
    reopen: () => openSession(deps) ?? session,
    /** A node whose thread is made. */
    add: (parentId: ThreadId | null = null): ThreadId => {
      const { id } = session.addNode({ ...custom, parentId });
      session.nodes.update(id, { phase: 'ready' });
      return id;
    },
    wish: (node: ThreadId, epoch = 1) => session.noteWish(node, { epoch, wants: true }),
    waits: (parent: ThreadId) => {
      waiting.add(parent);
      session.freeSlot();
    },
    withdraw: (node: ThreadId, epoch = 1) => session.noteWish(node, { epoch, wants: false }),
    tell: (node: ThreadId, status: 'running' | 'done', reason: string | null = null) => {
      seq += 1;
      const open = status === 'running';
      session.noteStatus(node, { seq, status, reason, contextPct: null, stopped: false, open });
    },
    going: () => session.starts.going().map(({ thread }) => thread),
    places: () => session.tree().nodes.map(({ queue }) => queue),
  };
}
