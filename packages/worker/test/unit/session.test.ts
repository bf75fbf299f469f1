import { completionOf, newSessionId, newThreadId, type ThreadId } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { USUAL_CAPS as CAPS } from '../../src/session/caps.ts';
import { SESSION_MIGRATIONS } from '../../src/session/schema.ts';
import { Session } from '../../src/session/session.ts';
import { TreeFeed } from '../../src/session/tree-feed.ts';
import { migrate } from '../../src/storage/schema.ts';
import { countedSql } from './support/counted-sql.ts';
import { nodeSql } from './support/node-sql.ts';

const custom = { agentType: 'custom' as const, config: { command: ['true'] } };
const spawn = (seq: number) => ({ seq, name: `c${seq}`, agent: 'custom', model: '', task: 'x' });
const status = (seq: number, state: 'running' | 'done' | 'error', stopped = false) => ({
  seq,
  status: state,
  reason: null,
  contextPct: null,
  stopped,
  open: state === 'running',
});

function newSession(sql = nodeSql()) {
  migrate(sql, SESSION_MIGRATIONS);
  const session = new Session(
    {
      sql,
      now: () => Date.parse('2026-01-01T00:00:00Z'),
      newKey: () => 'key',
      keyHash: (key) => key,
      caps: { ...CAPS, agents: 100 },
      revoke: () => undefined,
    },
    {
      id: newSessionId(),
      owner: 'owner',
      name: 's',
      gitRepoUrl: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      head: 1,
      changeSeq: 1,
      started: false,
      stopped: false,
    },
  );
  const ready = (id: ThreadId) => session.nodes.update(id, { phase: 'ready' });
  return { sql, session, ready };
}

/** A tree, eight levels deep, ten children each: rows as spawns leave them. */
function bigTree(session: Session, sql: ReturnType<typeof nodeSql>, size: number): string[] {
  const root = session.addNode(custom);
  const row = session.nodes.find(root.id);
  if (!row) throw new Error('no root');
  const ids: string[] = [root.id];
  for (let n = 1; n < size; n += 1) {
    const id = newThreadId();
    const parent_id = ids[n < 8 ? n - 1 : Math.floor(n / 10)] ?? null;
    session.nodes.insert({ ...row, id, parent_id, phase: 'ready' });
    sql.run('INSERT INTO accounts (scope) VALUES (?), (?)', id, `own:${id}`);
    ids.push(id);
  }
  return ids;
}

const refusals = (sql: ReturnType<typeof nodeSql>) =>
  sql.all<{ reason: string }>('SELECT reason FROM refusals').map((row) => row.reason);

describe('a session', () => {
  it('[TALK4] says what became of the child of a key', () => {
    const { session } = newSession();
    const { id } = session.addNode(custom);
    const wish = { key: 'k', name: 'kid', task: 'dig' };
    const child = session.spawn(id, wish);
    expect(session.spawn(id, wish).id).toBe(child.id);
    session.drop(child.id);
    expect(() => session.spawn(id, wish)).toThrow(/kid .* was deleted by a person.*another key/);
    expect(session.spawn(id, { ...wish, key: 'k2' }).id).not.toBe(child.id);
  });

  it('[TREE17] a child by a spawn has a name by the rule of names, or one that is made up', () => {
    const { session } = newSession();
    const root = session.addNode(custom);
    for (const [at, name] of ['a\nb\u202E', '\u200B'].entries()) {
      session.noteSpawn(root.id, { ...spawn(3 + at), name });
    }
    const names = session.tree().nodes.map(({ name }) => name);
    expect(names[1]).toBe('a b');
    expect(names[2]).toMatch(/^[a-z]/);
  });

  it('[TREE2] makes one child of a spawn, however often it is told', () => {
    const { session } = newSession();
    const root = session.addNode(custom);
    session.noteSpawn(root.id, spawn(3));
    session.noteSpawn(root.id, spawn(3));
    const { nodes } = session.tree();
    expect(nodes.map((node) => [node.name, node.parentId])).toEqual([
      [root.name, null],
      ['c3', root.id],
    ]);
  });

  it('[TREE3] refuses what exceeds depth or total, and records why', () => {
    const { session, sql } = newSession();
    let parent = session.addNode(custom).id;
    for (let depth = 2; depth <= CAPS.depth; depth += 1) {
      parent = session.addNode({ ...custom, parentId: parent }).id;
    }
    session.noteSpawn(parent, spawn(1));
    expect(refusals(sql)).toMatchObject([
      expect.stringMatching(`at most ${CAPS.depth} levels deep: do the work here`),
    ]);
    for (let n = CAPS.depth; n < 100; n += 1) session.addNode(custom);
    expect(() => session.addNode(custom)).toThrow(/at most 100 agents/);
  });

  it('[TREE12] gives a child the budget and the network of its spawn, and no wider network', () => {
    const { session, sql } = newSession();
    const network = { policy: 'allowlist' as const, allow: ['*.example.com'] };
    const root = session.addNode({ ...custom, config: { ...custom.config, network } });
    const narrow = { policy: 'allowlist' as const, allow: ['a.example.com'] };
    session.noteSpawn(root.id, {
      ...spawn(3),
      budget: { usd: 2, tokens: null },
      network: narrow,
    });
    session.noteSpawn(root.id, { ...spawn(4), network: { policy: 'open' } });
    const [, child, ...more] = session.tree().nodes;
    expect(more).toEqual([]);
    expect(child).toMatchObject({ budget: { usd: 2, tokens: null }, config: { network: narrow } });
    expect(refusals(sql)).toEqual([
      expect.stringMatching(/would reach more than its parent's \(allowlist\): leave network out/),
    ]);
  });

  it('[TREE12] a child of another kind asks for leave where its parent has to', () => {
    const { session } = newSession();
    const config = { ...custom.config, permissions: 'ask' as const, systemPrompt: 'Be brief.' };
    const root = session.addNode({ ...custom, config });
    session.noteSpawn(root.id, { ...spawn(3), agent: 'shelley', model: 'some/model' });
    const [, child] = session.tree().nodes;
    expect(child).toMatchObject({ agentType: 'shelley' });
    expect(child?.config).toEqual({ permissions: 'ask' });
  });

  it('[TREE16] starts no child beyond the budgets above it, and says what is left', () => {
    const { session, sql } = newSession();
    const root = session.addNode({ ...custom, name: 'root', budget: { usd: 1, tokens: 1000 } });
    const wish = (seq: number, budget: { usd: number | null; tokens: number | null }) =>
      session.noteSpawn(root.id, { ...spawn(seq), budget });
    wish(3, { usd: 1.5, tokens: null });
    wish(4, { usd: null, tokens: 1001 });
    wish(5, { usd: 1, tokens: 1000 });
    const [, child] = session.tree().nodes;
    // What the child was given is a limit, and nothing of it is used yet.
    session.noteSpawn(child?.id ?? root.id, { ...spawn(6), budget: { usd: 2, tokens: null } });
    sql.run('UPDATE accounts SET nano = 400000000 WHERE scope = ?', root.id);
    wish(7, { usd: 0.7, tokens: null });
    sql.run('UPDATE accounts SET nano = 1000000000 WHERE scope = ?', root.id);
    session.noteSpawn(root.id, spawn(8));
    expect(session.tree().nodes.map(({ name }) => name)).toEqual(['root', 'c5']);
    expect(refusals(sql)).toEqual([
      'its budget of $1.50 is more than is left of the budget of root and the agents below it, which is $1.00: ask for at most that, or do the work here',
      expect.stringContaining('which is 1000 tokens'),
      expect.stringContaining('the budget of c5 and the agents below it, which is $1.00'),
      expect.stringContaining('which is $0.60'),
      expect.stringMatching(/^nothing is left of the budget of root .* ask a person to raise it/),
    ]);
  });

  it('[TREE3] caps the children of a node', () => {
    const { session } = newSession();
    const root = session.addNode(custom);
    for (let n = 0; n < CAPS.children; n += 1) session.addNode({ ...custom, parentId: root.id });
    expect(() => session.addNode({ ...custom, parentId: root.id })).toThrow(
      /at most 50 children: give the work to one of them/,
    );
    expect(session.addNode(custom).parentId).toBeNull();
  });

  it('counts completed leaves upwards from the status of the log', () => {
    const { session } = newSession();
    const root = session.addNode(custom);
    const a = session.addNode({ ...custom, parentId: root.id });
    session.addNode({ ...custom, parentId: root.id });
    session.noteStatus(a.id, status(5, 'done'));
    session.noteStatus(a.id, status(4, 'running'));
    const { nodes } = session.tree();
    expect(nodes.find((node) => node.id === root.id)).toMatchObject({ done: 1, total: 2 });
    expect(nodes.find((node) => node.id === a.id)).toMatchObject({ status: 'done', done: 1 });
  });

  it('[TREE6] counts as the whole tree counted anew does, whatever happens to it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(4), fc.nat(99)), { maxLength: 40 }), (steps) => {
        const { session } = newSession();
        let seq = 0;
        for (const [what, which] of steps) {
          const { nodes } = session.tree();
          const node = nodes[which % Math.max(1, nodes.length)];
          seq += 1;
          if (what === 0 || !node) session.addNode(custom);
          else if (what === 1) session.drop(node.id);
          else if (what === 2 || session.nodes.depthOf(node.id) >= CAPS.depth)
            session.noteStatus(node.id, status(seq, 'done'));
          else if (what === 3) session.noteStatus(node.id, status(seq, 'running'));
          else session.addNode({ ...custom, parentId: node.id });
        }
        const { nodes } = session.tree();
        const counts = completionOf(nodes);
        for (const { id, done, total } of nodes) expect({ done, total }).toEqual(counts.get(id));
      }),
      { numRuns: 40 },
    );
  });

  it('[TREE11] reads no more of a tree of 1,000 than of a small one when a status changes', () => {
    const work = (size: number) => {
      const counted = countedSql(nodeSql());
      const { session, sql } = newSession(counted.sql);
      const ids = bigTree(session, sql, size);
      const { nodes } = session;
      const leaf = (id: string) => nodes.depthOf(id) === 8 && nodes.childrenOf(id).length === 0;
      const eighth = ids.find(leaf) ?? '';
      const costs = Array.from({ length: 10 }, (_, n) => {
        counted.reset();
        session.noteStatus(eighth, status(n + 1, n % 2 === 0 ? 'running' : 'done'));
        session.takeTouched();
        return counted.work();
      });
      return { most: Math.max(...costs), counted };
    };
    const [small, large] = [work(20), work(1000)];
    expect(small.most).toBeGreaterThan(8);
    expect(large.most).toBeLessThan(1.5 * small.most);
    expect(large.counted.scans()).toEqual([]);
  });

  it('[TREE7] refuses spawns of a stopped subtree until a later message', () => {
    const { session, sql, ready } = newSession();
    const root = session.addNode(custom);
    ready(root.id);
    session.halt(root.id);
    session.noteSpawn(root.id, spawn(4));
    expect(session.nodes.toHalt().map((row) => row.id)).toEqual([root.id]);
    session.nodes.update(root.id, { halt: 7 });
    session.noteSpawn(root.id, spawn(6));
    session.noteSpawn(root.id, spawn(9));
    expect(refusals(sql)).toHaveLength(2);
    expect(session.tree().nodes).toHaveLength(2);
  });

  it('takes a node out with everything below it', () => {
    const { session } = newSession();
    const root = session.addNode(custom);
    const child = session.addNode({ ...custom, parentId: root.id });
    const grandchild = session.addNode({ ...custom, parentId: child.id });
    session.drop(child.id);
    expect(session.tree().nodes.map((node) => node.id)).toEqual([root.id]);
    expect(session.nodes.gone().toSorted()).toEqual([child.id, grandchild.id].toSorted());
  });

  it('[FEED7] says what changed after a seq, never more than the tree has', () => {
    const { session } = newSession();
    const feed = new TreeFeed(session);
    const root = session.addNode(custom);
    for (let seq = 1; seq <= 50; seq += 1) session.noteStatus(root.id, status(seq, 'running'));
    const items = feed.read(0, 1000);
    expect(items).toHaveLength(2);
    expect(items.at(-1)?.seq).toBe(feed.head());
    session.drop(root.id);
    const after = feed.read(items.at(-1)?.seq ?? 0, 1000).map((item) => JSON.parse(item.json));
    expect(after).toMatchObject([{ type: 'deleted', id: root.id }, { type: 'session' }]);
  });

  it('publishes every change with the next seq', () => {
    const { session } = newSession();
    const root = session.addNode(custom);
    session.noteStatus(root.id, status(1, 'running'));
    session.noteStatus(root.id, status(2, 'error'));
    const seqs = session.takeTouched().map((item) => item.seq);
    expect(seqs).toEqual(seqs.map((_, i) => i + 2));
    expect(session.resource().status).toBe('error');
  });

  it('shows no value of an environment variable', () => {
    const { session } = newSession();
    const config = { command: ['true'], envVars: { API_KEY: 'sk-secret-value' } };
    session.addNode({ ...custom, config });
    expect(JSON.stringify(session.tree())).not.toContain('sk-secret-value');
  });

  it('[NET1] gives a child the network of its parent, unless it names its own', () => {
    const { session } = newSession();
    const none = { policy: 'none' as const };
    const root = session.addNode({ ...custom, config: { ...custom.config, network: none } });
    session.noteSpawn(root.id, spawn(3));
    session.addNode({ ...custom, parentId: root.id });
    const open = { policy: 'open' as const };
    const config = { ...custom.config, network: open };
    session.addNode({ ...custom, parentId: root.id, config });
    session.addNode(custom);
    const networks = session.tree().nodes.map((node) => node.config.network);
    expect(networks).toEqual([none, none, none, open, undefined]);
  });

  it.each([
    [{ image: 'debian:13' }],
    [{ dockerfile: 'Dockerfile' }],
    [{ image: 'debian:13', command: ['true'] }],
    [{ dockerfile: 'Dockerfile', command: ['true'] }],
  ])('[CTR11] an agent may run in an image: %o', (config) => {
    const { session } = newSession();
    expect(session.addNode({ ...custom, config }).config).toEqual(config);
  });

  it('[CTR11] an agent has an image or a Dockerfile, and one of them or a command', () => {
    const { session } = newSession();
    const both = { image: 'debian:13', dockerfile: 'Dockerfile' };
    expect(() => session.addNode({ ...custom, config: both })).toThrow(/not both/);
    expect(() => session.addNode({ ...custom, config: {} })).toThrow(
      /config.command, config.image or config.dockerfile/,
    );
  });

  it('leaves nothing behind when a change is refused', () => {
    const { session } = newSession();
    const before = session.tree();
    expect(() => session.addNode({ agentType: 'nobody' })).toThrow(/there is no agent type nobody/);
    expect(session.tree()).toEqual(before);
    expect(session.takeTouched()).toEqual([]);
  });
});

describe('[ATT7] what failed', () => {
  it('waits until it goes on or is stopped; what it was refused before a stop is not held against it', () => {
    const { session, ready } = newSession();
    const { id } = session.addNode(custom);
    ready(id);
    const failed = { seq: 4, reason: 'exit 1' };
    session.noteStatus(id, { ...status(5, 'error'), failed });
    expect(session.node(id).failure).toEqual(failed);
    session.nodes.update(id, { blocked: 'no budget', blocked_at: '2026-01-01T00:00:00.000Z' });
    expect(session.node(id)).toMatchObject({ blocked: 'no budget', blockedAt: expect.anything() });
    session.noteStatus(id, { ...status(6, 'error', true), failed });
    expect(session.node(id)).toMatchObject({ status: 'error', blocked: null });
    expect(session.node(id).failure).toBeUndefined();
    session.noteStatus(id, status(7, 'running'));
    expect(session.node(id).blocked).toBe(null);
    session.noteStatus(id, status(8, 'error'));
    expect(session.node(id).failure, 'a note from before it named the event').toEqual({
      seq: 8,
      reason: null,
    });
  });

  it('before there was a word for it is known after the change of format', () => {
    const sql = nodeSql();
    migrate(sql, SESSION_MIGRATIONS.slice(0, 5));
    const insert = (id: string, state: string, reason: string) =>
      sql.run(
        `INSERT INTO nodes (id, name, slug, agent_type, model, config, api_key, status, reason, done, total, sort_order,
           tokens, created_at, updated_at, change_seq, thread_seq, phase, stale)
         VALUES (?, 'n', 's', 'custom', '', '{}', '', ?, ?, 0, 1, 0, 0, '', '', 1, 7, 'ready', 0)`,
        id,
        state,
        reason,
      );
    insert('a', 'error', 'exit "1"');
    insert('b', 'idle', 'stopped');
    migrate(sql, SESSION_MIGRATIONS);
    expect(sql.all('SELECT id, failed, stopped FROM nodes ORDER BY id')).toEqual([
      { id: 'a', failed: JSON.stringify({ seq: 7, reason: 'exit "1"' }), stopped: 0 },
      { id: 'b', failed: null, stopped: 1 },
    ]);
  });
});
