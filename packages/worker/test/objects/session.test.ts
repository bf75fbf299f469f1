import { env } from 'cloudflare:workers';
import { Node, NodeEntry, Session, type ThreadId, TreeFrame } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ask,
  call,
  custom,
  message,
  newAgent,
  newNode,
  newSession,
  OWNER,
  treeOf,
} from './support/api.ts';
import { alarmsOf, fireAlarm } from './support/faults.ts';
import { exited, TestLink, TestRunner } from './support/runner.ts';
import { TestSocket } from './support/socket.ts';
import { openSse } from './support/sse.ts';
import { signInAs } from './support/users.ts';

async function sessions(): Promise<Session[]> {
  const body = await ask(200, 'GET', '/api/session');
  return z.object({ sessions: z.array(Session) }).parse(body).sessions;
}

const listed = async (id: string) => (await sessions()).find((session) => session.id === id);

async function indexed(session: string) {
  const query = 'SELECT id, parent_id, name, status, reason FROM agent_node WHERE session_id = ?';
  const { results } = await env.DB.prepare(query).bind(session).all();
  return results.toSorted((a, b) => String(a['id']).localeCompare(String(b['id'])));
}

async function asRows(session: string) {
  const { nodes } = await treeOf(session);
  return nodes
    .map(({ id, parentId, name, status, reason }) => ({
      id,
      parent_id: parentId,
      name,
      status,
      reason,
    }))
    .toSorted((a, b) => a.id.localeCompare(b.id));
}

describe('a session', () => {
  it('is created with its first agent, read, renamed and listed', async () => {
    const gitRepoUrl = 'https://example.test/repo.git';
    const session = await newSession({
      name: 'one',
      gitRepoUrl,
      root: { ...custom, name: 'root' },
    });
    expect(session).toMatchObject({ name: 'one', gitRepoUrl, status: 'draft', nodeCount: 1 });
    const tree = await treeOf(session.id);
    expect(tree.nodes).toMatchObject([{ id: session.rootNodeId, name: 'root', status: 'idle' }]);
    expect(await ask(200, 'GET', `/api/session/${session.id}`)).toEqual(tree);
    await ask(200, 'PATCH', `/api/session/${session.id}`, { name: 'two' });
    expect(await listed(session.id)).toMatchObject({ name: 'two', nodeCount: 1 });
  });

  it('is not there when its first agent is refused', async () => {
    const before = (await sessions()).length;
    await ask(400, 'POST', '/api/session', { root: { agentType: 'nobody' } });
    await ask(400, 'POST', '/api/session', { root: { agentType: 'custom' } });
    const systemPrompt = 'x'.repeat(200_000);
    const config = { ...custom.config, systemPrompt };
    await ask(413, 'POST', '/api/session', { root: { ...custom, config } });
    expect(await sessions()).toHaveLength(before);
  });

  it('[TREE1] has nodes under nodes, and no node under what is not its own', async () => {
    const { session, node } = await newAgent();
    const child = await newNode(session.id, { parentId: node.id, name: 'child' });
    expect(child).toMatchObject({ parentId: node.id, sessionId: session.id });
    const other = await newAgent();
    const path = `/api/session/${session.id}/node`;
    await ask(404, 'POST', path, { ...custom, parentId: other.node.id });
    await ask(404, 'PATCH', `${path}/${other.node.id}`, { name: 'x' });
    await ask(404, 'DELETE', `${path}/${other.node.id}`);
  });

  it('[TREE5] [SEC7] changes a node, hides its values, and takes a status as a signal only', async () => {
    const { session, node } = await newAgent();
    const path = `/api/session/${session.id}/node/${node.id}`;
    const config = { command: ['false'], envVars: { PLACE: 'hidden' } };
    const answer = await ask(200, 'PATCH', path, { name: 'new', config });
    expect(JSON.stringify(answer)).not.toContain('hidden');
    // What was read can be sent back: a masked value stays what it was.
    const { node: shown } = z.object({ node: Node }).parse(answer);
    await ask(200, 'PATCH', path, { config: shown.config });
    await ask(409, 'PATCH', path, { status: 'done' });
    // The answer is the node as it is then.
    expect(await ask(200, 'PATCH', path, { status: 'paused' })).toMatchObject({
      node: { reason: 'paused' },
    });
    expect(await ask(200, 'PATCH', path, { status: 'resumed' })).toMatchObject({
      node: { reason: null },
    });
    // What cannot be done whole is not done in part.
    const named = await treeOf(session.id);
    await ask(409, 'PATCH', path, { name: 'half', status: 'resumed' });
    expect((await treeOf(session.id)).nodes[0]?.name).toBe(named.nodes[0]?.name);
    expect(named.nodes[0]?.name).toBe('new');
    const runner = await TestRunner.connect();
    await message(node.id);
    expect(await runner.order(node.id)).toMatchObject({ config });
    await ask(200, 'PATCH', path, { status: 'stopped' });
    expect(await runner.order(node.id)).toMatchObject({ kind: 'stop' });
  });

  it('[TREE6] [TREE9] has status and counts from the logs of its threads, and says so in the index', async () => {
    const { session, node } = await newAgent();
    const child = await newNode(session.id, { parentId: node.id });
    await newNode(session.id, { parentId: node.id });
    const viewer = await TestSocket.open(`/api/session/${session.id}/events`, OWNER);
    await message(child.id);
    const link = await TestLink.open(child.id, 1, 1);
    await link.started();
    await link.say({ type: 'done' });
    await until(viewer, node.id, { done: 1, total: 2 });
    expect((await treeOf(session.id)).session.status).toBe('running');
    await fireAlarm(env.SESSION.getByName(session.id));
    expect(await indexed(session.id)).toEqual(await asRows(session.id));
    const { budget: _budget, ...shown } = (await treeOf(session.id)).session;
    expect(await listed(session.id)).toEqual({ ...shown, activity: 'idle' });
    await expect.poll(() => alarmsOf(env.SESSION.getByName(session.id))).toEqual([]);
  });

  it('[TREE15] is in the list of agents with all of its own, for its owner only', async () => {
    const session = await newSession({ name: 'listed', root: { ...custom, name: 'top' } });
    const child = await newNode(session.id, { parentId: session.rootNodeId, name: 'below' });
    const List = z.object({ nodes: z.array(NodeEntry) });
    const { nodes } = List.parse(await ask(200, 'GET', '/api/node'));
    const own = nodes.filter(({ sessionId }) => sessionId === session.id);
    expect(own.toSorted((a, b) => b.name.localeCompare(a.name))).toMatchObject([
      { id: session.rootNodeId, parentId: null, name: 'top', sessionName: 'listed' },
      { id: child.id, parentId: session.rootNodeId, name: 'below', status: 'idle' },
    ]);
    const other = { headers: await signInAs('lists-nodes') };
    expect(await (await call('/api/node', other)).json()).toEqual({ nodes: [] });
  });

  it('[TREE10] writes its index anew', async () => {
    const { session, node } = await newAgent();
    await env.DB.prepare('DELETE FROM agent_session WHERE id = ?').bind(session.id).run();
    expect(await listed(session.id)).toBeUndefined();
    await message(node.id);
    await expect
      .poll(() => listed(session.id), { timeout: 10_000 })
      .toMatchObject({ nodeCount: 1 });
  });

  it('shows a failed agent to its owner until it is deleted', async () => {
    const { session, node } = await newAgent();
    const items = async () => JSON.stringify(await ask(200, 'GET', '/api/attention'));
    await message(node.id);
    const link = await TestLink.open(node.id, 1, 1);
    link.observe(exited(1, 3));
    await link.socket.until('over');
    await expect.poll(items, { timeout: 10_000 }).toContain(node.id);
    await ask(204, 'DELETE', `/api/session/${session.id}/node/${node.id}`);
    expect(await items()).not.toContain(node.id);
  });
});

describe('[TREE8] deleting', () => {
  it('a node takes everything below it, and no sibling', async () => {
    const runner = await TestRunner.connect();
    const { session, node } = await newAgent();
    const child = await newNode(session.id, { parentId: node.id });
    const grandchild = await newNode(session.id, { parentId: child.id });
    const sibling = await newNode(session.id, { parentId: node.id });
    const viewer = await TestSocket.open(`/api/session/${session.id}/events`, OWNER);
    await viewer.until('events');
    await ask(204, 'DELETE', `/api/session/${session.id}/node/${child.id}`);
    const frame = TreeFrame.parse(await viewer.until('events'));
    expect(frame.t === 'events' && frame.events).toMatchObject([
      { type: 'deleted', id: child.id },
      { type: 'deleted', id: grandchild.id },
      { type: 'node', node: { id: node.id, total: 1 } },
      { type: 'session', session: { nodeCount: 2 } },
    ]);
    const ids = (await treeOf(session.id)).nodes.map((one) => one.id);
    expect(ids.toSorted()).toEqual([node.id, sibling.id].toSorted());
    for (const id of [child.id, grandchild.id]) await ask(404, 'GET', `/api/thread/${id}/events`);
    expect(await runner.order(child.id)).toMatchObject({ kind: 'remove', slug: child.slug });
    expect(await indexed(session.id)).toEqual(await asRows(session.id));
  });

  it('a session takes all of its nodes, and leaves nothing in the index', async () => {
    const { session, node } = await newAgent();
    await newNode(session.id, { parentId: node.id });
    const viewer = await TestSocket.open(`/api/session/${session.id}/events`, OWNER);
    const reader = await openSse(`/api/session/${session.id}/events`);
    await ask(204, 'DELETE', `/api/session/${session.id}`);
    await viewer.until('deleted');
    expect((await viewer.closed).code).toBe(1000);
    await reader.take(1000);
    await ask(404, 'GET', `/api/session/${session.id}/tree`);
    await ask(404, 'GET', `/api/thread/${node.id}/events`);
    await ask(404, 'POST', `/api/session/${session.id}/node`, custom);
    await fireAlarm(env.SESSION.getByName(session.id));
    expect(await listed(session.id)).toBeUndefined();
    expect(await indexed(session.id)).toEqual([]);
  });

  it('a session is final, though its index was written at the same time', async () => {
    const { session, node } = await newAgent();
    const stub = env.SESSION.getByName(session.id);
    await Promise.all([
      message(node.id),
      ask(204, 'DELETE', `/api/session/${session.id}`),
      fireAlarm(stub),
      stub.note(node.id, {
        kind: 'status',
        note: {
          seq: 1,
          status: 'idle',
          reason: 'queued',
          contextPct: null,
          stopped: false,
          open: true,
        },
      }),
    ]);
    await fireAlarm(stub);
    expect(await listed(session.id)).toBeUndefined();
  });
});

/** Reads the tree's changes until one of this node has these values. */
async function until(viewer: TestSocket, id: ThreadId, values: Record<string, unknown>) {
  for (;;) {
    const frame = TreeFrame.parse(await viewer.until('events'));
    if (frame.t !== 'events') continue;
    for (const event of frame.events) {
      if (event.type !== 'node' || event.node.id !== id) continue;
      const shown: Record<string, unknown> = event.node;
      if (Object.entries(values).every(([key, value]) => shown[key] === value)) return;
    }
  }
}
