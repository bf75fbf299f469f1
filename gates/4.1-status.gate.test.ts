import { createClient } from '@filepath/client';
import type { TreeChange } from '@filepath/protocol';
import { Api, startInstance } from '@filepath/testkit';
import { Node } from '@filepath/protocol';
import { expect, it } from 'vitest';
import WebSocket from 'ws';
import { z } from 'zod';

/** Tells how full its context is, step by step: each message is a step, and the last one its end. */
const AGENT = `
read -r task
echo '{"type":"status","state":"thinking","context_pct":0.1}'
read -r more
echo '{"type":"status","state":"running","context_pct":0.5}'
read -r last
echo '{"type":"done"}'`;

it('statuses of a running agent reach a viewer of the tree as they come, and the parent counts what is done', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { session, node: root } = await api.agent(['true']);
  const body = { parentId: root.id, agentType: 'custom', config: { command: ['sh', '-c', AGENT] } };
  const path = `/api/session/${session.id}/node`;
  const { node: child } = await api.json(z.object({ node: Node }), 'POST', path, body);

  const changes: TreeChange[] = [];
  let look = (): void => undefined;
  const feed = createClient({
    baseUrl: instance.url,
    token: instance.token,
    openSocket: (url, headers) => new WebSocket(url, { headers }),
  }).followTree(session.id, {
    onEvents: (batch) => {
      changes.push(...batch);
      look();
    },
  });
  /** The next change of a node, after those that were waited for, that has these facts. */
  let seen = 0;
  const until = (id: string, facts: Partial<Node>): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        while (seen < changes.length) {
          const change = changes[seen++];
          if (change?.type !== 'node' || change.node.id !== id) continue;
          const shown: Record<string, unknown> = change.node;
          if (Object.entries(facts).every(([key, value]) => shown[key] === value)) resolve();
        }
      };
      look();
    });

  await until(root.id, { done: 0, total: 1 });
  await api.message(child.id, 'begin');
  await until(child.id, { status: 'thinking', contextPct: 0.1 });
  await api.message(child.id, 'more');
  await until(child.id, { status: 'running', contextPct: 0.5 });
  await api.message(child.id, 'last');
  await until(child.id, { status: 'done' });
  seen = 0;
  await until(root.id, { done: 1, total: 1 });
  feed.close();
  const { nodes } = await api.tree(session.id);
  expect(nodes).toMatchObject([
    { id: root.id, done: 1, total: 1 },
    { id: child.id, status: 'done' },
  ]);
});
