import {
  Api,
  follow,
  type Follower,
  type Instance,
  isType,
  makeRepo,
  shimPids,
  startInstance,
  tempDir,
} from '@filepath/testkit';
import { Node, Session } from '@filepath/protocol';
import { globSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';

/** Says what it was given, thinks, and works until it is told to stop: then it says so and obeys. */
const AGENT = `
say() { printf '{"type":"text","content":"%s"}\\n' "$1"; }
say "task $FILEPATH_TASK"; say "variable $FLAVOUR"; say "repository $(cat README.md)"; say "branch $(git branch --show-current)"
echo '{"type":"status","state":"thinking"}'
( while :; do sleep 1; done ) & echo '{"type":"status","state":"running"}'
while read -r line; do case $line in *'"stop"'*) say stopping; exit 0;; esac; done`;

const Rows = z.array(
  z.object({ name: z.string(), status: z.string(), reason: z.string().nullable() }),
);

/** The index as it is on the instance's disk. */
function indexed(instance: Instance, session: string): z.output<typeof Rows> {
  for (const path of globSync(join(instance.home, 'state/**/*.sqlite'))) {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const has = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'agent_node'").get();
      if (has === undefined) continue;
      const query =
        'SELECT name, status, reason FROM agent_node WHERE session_id = ? ORDER BY name';
      return Rows.parse(db.prepare(query).all(session));
    } finally {
      db.close();
    }
  }
  return [];
}

const texts = (feed: Follower): string[] =>
  feed.events
    .filter((event) => event.source === 'fap' && isType('text')(event))
    .map((event) => String(Reflect.get(Object(event.body), 'content')));

it('a session starts its agents in sandboxes, streams what they say and do, and stops them', async () => {
  await using instance = await startInstance();
  using repo = tempDir('repo');
  makeRepo(repo.path);
  const api = new Api(instance);
  const config = { command: ['sh', '-c', AGENT], envVars: { FLAVOUR: 'plum' } };
  const body = { gitRepoUrl: repo.path, root: { name: 'root', agentType: 'custom', config } };
  const Made = z.object({ session: Session, node: Node });
  const { session, node } = await api.json(Made, 'POST', '/api/session', body);
  const path = `/api/session/${session.id}/node`;
  const more = { name: 'second', parentId: node.id, agentType: 'custom', config };
  const second = (await api.json(z.object({ node: Node }), 'POST', path, more)).node;
  const agents = [node, second];
  const feeds = agents.map(({ id }) => follow(instance, id));
  const status = async (): Promise<unknown> => {
    const List = z.object({ sessions: z.array(Session) });
    const { sessions } = await api.json(List, 'GET', '/api/session');
    return sessions.find(({ id }) => id === session.id)?.status;
  };
  expect(await status()).toBe('draft');

  // Start: each has its sandbox, its clone, its variables and its task.
  for (const { id, name } of agents) await api.message(id, `be ${name}`);
  for (const [index, feed] of feeds.entries()) {
    const { name, slug } = agents[index] ?? node;
    await feed.until(
      (event) => event.source === 'fap' && JSON.stringify(event.body).includes('"running"'),
    );
    expect(texts(feed)).toEqual([
      `task be ${name}`,
      'variable plum',
      'repository # A small repository',
      `branch filepath/${slug}`,
    ]);
    expect(feed.events.find(isType('started'))).toMatchObject({
      source: 'runner',
      body: { executor: 'sandbox' },
    });
    expect(feed.events.some(isType('workspace'))).toBe(true);
  }
  expect(shimPids(instance.home)).toHaveLength(2);

  // Their status is in the tree, and in the index soon after.
  await expect
    .poll(async () => (await api.tree(session.id)).nodes.map((one) => one.status))
    .toEqual(['running', 'running']);
  const soon = { timeout: 60_000, interval: 50 };
  await vi.waitFor(async () => {
    expect(await status()).toBe('running');
    expect(indexed(instance, session.id)).toEqual([
      { name: 'root', status: 'running', reason: null },
      { name: 'second', status: 'running', reason: null },
    ]);
  }, soon);

  // Stop: told first, then ended; nothing of them is left.
  await api.call('POST', `/api/session/${session.id}/signal`, { action: 'stop' });
  for (const feed of feeds) {
    const exit = await feed.until(isType('exit'));
    expect(exit).toMatchObject({ source: 'runner', body: { code: 0 } });
    expect(texts(feed).at(-1)).toBe('stopping');
    feed.close();
  }
  expect(shimPids(instance.home)).toEqual([]);
  await vi.waitFor(async () => {
    expect(await status()).toBe('stopped');
    expect(indexed(instance, session.id).map((row) => [row.status, row.reason])).toEqual([
      ['idle', 'stopped'],
      ['idle', 'stopped'],
    ]);
  }, soon);
});
