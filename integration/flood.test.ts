import { Api, follow, isType, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

const LINES = 200_000;

it('others are answered while an agent prints as many short lines as it can', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { session, node } = await api.agent([
    'sh',
    '-c',
    `yes '{"type":"text","content":"x"}' | head -n ${LINES}; echo '{"type":"done"}'`,
  ]);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('text'));
  for (let i = 0; i < 20; i += 1) {
    expect((await api.call('GET', '/api/health')).status).toBe(200);
    await api.tree(session.id);
  }
  // All of that fitted in while the agent's lines were still being stored.
  expect(feed.events.some(isType('exit'))).toBe(false);
  await feed.until(isType('exit'));
  feed.close();
  expect(feed.events.filter(isType('text'))).toHaveLength(LINES);
});

it('an agent that stretches its own output harms nobody', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { node } = await api.agent([
    'sh',
    '-c',
    `perl -e 'truncate(STDOUT, 1 << 40)'; echo '{"type":"done"}'`,
  ]);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('exit'));
  feed.close();
  expect(feed.events.filter(isType('done'))).toHaveLength(1);
});
