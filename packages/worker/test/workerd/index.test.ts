import { env } from 'cloudflare:workers';
import {
  newSessionId,
  newThreadId,
  NO_BUDGET,
  NO_USAGE,
  type Node,
  type Session,
  type SessionId,
  type ThreadId,
} from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { openDb } from '../../src/db/client.ts';
import { deleteSessionIndex, writeSessionIndex } from '../../src/db/index-writer.ts';
import { listSessions } from '../../src/db/queries.ts';

const db = openDb(env);
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

function sessionOf(id: SessionId, more: Partial<Session> = {}): Session & { userId: string } {
  return {
    id,
    userId: 'owner',
    name: 'A session',
    gitRepoUrl: '/repo',
    status: 'running',
    rootNodeId: null,
    nodeCount: 0,
    createdAt: at(0),
    updatedAt: at(1),
    ...more,
  };
}

function nodeOf(sessionId: SessionId, id: ThreadId, more: Partial<Node> = {}): Node {
  return {
    id,
    sessionId,
    parentId: null,
    name: 'node’s "name"',
    slug: 'node-x1',
    agentType: 'custom',
    model: '',
    status: 'idle',
    reason: null,
    config: { command: ['sh'], envVars: { KEY: 'canary-value' } },
    sortOrder: 0,
    tokens: 0,
    usage: NO_USAGE,
    subtree: NO_USAGE,
    budget: NO_BUDGET,
    blocked: null,
    queue: null,
    contextPct: null,
    done: 0,
    total: 1,
    createdAt: at(0),
    updatedAt: at(1),
    ...more,
  };
}

const nodesOf = async (id: SessionId) =>
  (
    await env.DB.prepare('select * from agent_node where session_id = ? order by sort_order')
      .bind(id)
      .all()
  ).results;

describe('the index of a session', () => {
  it('[UIS5] tells what the agents of a session come down to', async () => {
    const session = sessionOf(newSessionId());
    const [root, child] = [newThreadId(), newThreadId()];
    const activity = async (top: Partial<Node>, below: Partial<Node>) => {
      const nodes = [
        nodeOf(session.id, root, top),
        nodeOf(session.id, child, { parentId: root, ...below }),
      ];
      await writeSessionIndex(db, session, nodes, []);
      return (await listSessions(db, 'owner')).find(({ id }) => id === session.id)?.activity;
    };
    expect(await activity({}, {})).toBe('idle');
    expect(await activity({}, { reason: 'queued' })).toBe('running');
    expect(await activity({ status: 'done' }, { status: 'thinking' })).toBe('running');
    expect(await activity({ status: 'done' }, { status: 'error' })).toBe('done');
    expect(await activity({ status: 'error' }, { status: 'done' })).toBe('idle');
    await writeSessionIndex(db, session, [], [root, child]);
    expect((await listSessions(db, 'owner')).find(({ id }) => id === session.id)?.activity).toBe(
      'idle',
    );
  });

  it('takes 500 nodes in one write, and the same again', async () => {
    const session = sessionOf(newSessionId());
    const ids = Array.from({ length: 500 }, () => newThreadId());
    const nodes = ids.map((id, i) => nodeOf(session.id, id, { sortOrder: i, contextPct: 0.5 }));
    await writeSessionIndex(db, session, nodes, []);
    const first = await nodesOf(session.id);
    expect(first.length).toBe(500);
    expect(first[499]).toMatchObject({
      id: ids[499],
      name: 'node’s "name"',
      parent_id: null,
      reason: null,
      sort_order: 499,
      context_pct: 0.5,
      created_at: Date.parse(at(0)),
    });
    await writeSessionIndex(db, session, nodes, []);
    expect(await nodesOf(session.id)).toEqual(first);
  });

  it('replaces changed nodes and removes deleted ones', async () => {
    const session = sessionOf(newSessionId());
    const [kept, gone] = [newThreadId(), newThreadId()];
    await writeSessionIndex(
      db,
      session,
      [nodeOf(session.id, kept), nodeOf(session.id, gone, { sortOrder: 1 })],
      [],
    );
    const changed = nodeOf(session.id, kept, { status: 'running', reason: 'waiting', tokens: 9 });
    await writeSessionIndex(db, { ...session, name: 'Renamed' }, [changed], [gone]);
    expect(await nodesOf(session.id)).toMatchObject([
      { id: kept, status: 'running', reason: 'waiting', tokens: 9 },
    ]);
    expect(await listSessions(db, 'owner')).toContainEqual(
      expect.objectContaining({ id: session.id, name: 'Renamed', nodeCount: 1 }),
    );
  });

  it('holds no values of envVars and no oversized configuration', async () => {
    const session = sessionOf(newSessionId());
    const big = nodeOf(session.id, newThreadId(), {
      config: { systemPrompt: 'x'.repeat(200_000) },
      sortOrder: 1,
    });
    await writeSessionIndex(db, session, [nodeOf(session.id, newThreadId()), big], []);
    const [small, large] = await nodesOf(session.id);
    expect(small?.['config']).toContain('KEY');
    expect(small?.['config']).not.toContain('canary-value');
    expect(large?.['config']).toBe('{}');
  });

  it('never moves a row to another user or session', async () => {
    const [mine, other] = [sessionOf(newSessionId()), sessionOf(newSessionId())];
    const node = newThreadId();
    await writeSessionIndex(db, mine, [nodeOf(mine.id, node)], []);
    await writeSessionIndex(db, other, [nodeOf(other.id, node, { name: 'stolen' })], [node]);
    expect(await nodesOf(mine.id)).toMatchObject([{ id: node, name: 'node’s "name"' }]);
    await expect(writeSessionIndex(db, mine, [nodeOf(other.id, node)], [])).rejects.toThrow(
      /not of/,
    );
    await env.DB.exec(
      "insert or ignore into user (id, name, email) values ('u2', 'Second', 'u2@filepath.invalid')",
    );
    await writeSessionIndex(db, { ...mine, userId: 'u2', name: 'stolen' }, [], []);
    expect((await listSessions(db, 'owner')).map(({ id }) => id)).toContain(mine.id);
    expect(await listSessions(db, 'u2')).toEqual([]);
  });

  it('goes with its nodes when the session is deleted', async () => {
    const session = sessionOf(newSessionId());
    const node = newThreadId();
    await writeSessionIndex(db, session, [nodeOf(session.id, node)], []);
    expect(await nodesOf(session.id)).toMatchObject([{ id: node }]);
    await deleteSessionIndex(db, session.id);
    expect((await listSessions(db, 'owner')).map(({ id }) => id)).not.toContain(session.id);
    expect(await nodesOf(session.id)).toEqual([]);
  });
});

describe('listSessions', () => {
  it('gives the last changed first, as the API shows them', async () => {
    const older = sessionOf(newSessionId(), { updatedAt: at(100), gitRepoUrl: null });
    const newer = sessionOf(newSessionId(), { updatedAt: at(200) });
    await writeSessionIndex(db, newer, [], []);
    await writeSessionIndex(db, older, [nodeOf(older.id, newThreadId())], []);
    const { userId: _, ...shown } = older;
    expect((await listSessions(db, 'owner', 2)).map((each) => each.id)).toEqual([
      newer.id,
      older.id,
    ]);
    expect((await listSessions(db, 'owner'))[1]).toEqual({
      ...shown,
      activity: 'idle',
      nodeCount: 1,
    });
  });
});
