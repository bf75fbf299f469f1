import { createClient } from '@filepath/client';
import type { Node } from '@filepath/protocol';
import { Api, follow, type Instance, isType, shimPids, startInstance } from '@filepath/testkit';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import WebSocket from 'ws';

/** A root makes two, each of them two leaves; parents wait for their children in the way that is given. */
const family = (leaf: string, wait: string): string => `
read -r task
case "$FILEPATH_TASK" in
  leaf) ${leaf} echo '{"type":"text","content":"leaf"}'; exit 0;;
  middle) kid=leaf;;
  *) kid=middle;;
esac
echo '{"type":"status","state":"running"}'
for n in 1 2; do
  printf '{"type":"spawn","name":"%s-%s","agent":"custom","model":"","task":"%s"}\\n' "$kid" "$n" "$kid"
done
${wait}
echo '{"type":"done"}'`;

/** Parents wait by the API, leaves until they are told. */
const WAITING = family(
  'read -r go;',
  `
children() {
  curl -sS "$FILEPATH_BASE_URL/agent/children$1" -H "authorization: Bearer $FILEPATH_API_KEY" \\
    -H 'content-type: application/json' $2
}
until children | grep -q "$kid-2"; do sleep 0.1; done
while children /wait '-d {}' | grep -q '"works":true'; do :; done`,
);

/** Parents read their input until both children have ended: nobody sees that they wait. */
const READING = family(
  '',
  `
ended=0
while [ $ended -lt 2 ] && read -r line; do
  case "$line" in *'"from":"child"'*) ended=$((ended + 1));; esac
done`,
);

const TICKER = `while :; do echo '{"type":"text","content":"tick"}'; sleep 0.05; done`;

/** The states of a session's tree as its feed tells them. */
function watch(instance: Instance, session: string) {
  const nodes = new Map<string, Node>();
  const places = new Set<number>();
  const waiting = new Set<() => void>();
  const client = createClient({
    baseUrl: instance.url,
    token: instance.token,
    openSocket: (url, headers) => new WebSocket(url, { headers }),
  });
  const following = client.followTree(session, {
    onEvents: (changes) => {
      for (const change of changes) {
        if (change.type !== 'node') continue;
        nodes.set(change.node.id, change.node);
        if (change.node.queue !== null) places.add(change.node.queue);
        for (const check of waiting) check();
      }
    },
  });
  const until = (fits: (all: Node[]) => boolean): Promise<Node[]> =>
    new Promise((resolve) => {
      const check = (): void => {
        const all = [...nodes.values()];
        if (!fits(all)) return;
        waiting.delete(check);
        resolve(all);
      };
      waiting.add(check);
      check();
    });
  return { places, until, close: () => following.close() };
}

it('[QUE3] [QUE4] a tree of seven ends with two slots, parents waiting and places in the feed', async () => {
  await using instance = await startInstance({ FILEPATH_MAX_WORKING: '2' });
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', WAITING], { name: 'root' });
  const tree = watch(instance, session.id);
  await api.message(node.id, 'begin');
  const isLeaf = ({ name }: Node): boolean => name.startsWith('leaf');
  const all = await tree.until(
    (nodes) =>
      nodes.length === 7 &&
      nodes.filter((one) => one.queue !== null).length === 2 &&
      nodes.filter((one) => one.status === 'running').length === 5,
  );
  // The root, the two in the middle, and two leaves: parents that wait take no slot.
  await expect.poll(() => shimPids(instance.home)).toHaveLength(5);
  const places = all.filter((one) => one.queue !== null).map((one) => one.queue);
  expect(new Set(places)).toEqual(new Set([1, 2]));
  await Promise.all(all.filter(isLeaf).map(({ id }) => api.message(id, 'go')));
  const ended = await tree.until((nodes) => nodes.every(({ status }) => status === 'done'));
  expect(ended.find(({ id }) => id === node.id)).toMatchObject({ done: 4, total: 4, queue: null });
  expect([...tree.places]).toEqual(expect.arrayContaining([1, 2]));
  for (const { id } of ended) {
    const log = await api.events(id);
    expect(log.filter(isType('started'))).toHaveLength(1);
  }
  tree.close();
});

it('[QUE3] a tree of seven ends with one slot though nobody sees that its parents wait', async () => {
  await using instance = await startInstance({ FILEPATH_MAX_WORKING: '1' });
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', READING], { name: 'root' });
  const tree = watch(instance, session.id);
  await api.message(node.id, 'begin');
  let most = 0;
  const ended = await tree.until((nodes) => {
    const working = nodes.filter(({ status }) => status === 'running' || status === 'thinking');
    most = Math.max(most, working.length);
    return nodes.length === 7 && nodes.every(({ status }) => status === 'done');
  });
  expect(ended.find(({ id }) => id === node.id)).toMatchObject({ done: 4, total: 4, queue: null });
  // The slot, and one beyond it on each lower level.
  expect(most).toBeLessThanOrEqual(3);
  tree.close();
});

it('[F10] [PAUSE1] after a pause nothing in the subtree goes on, none later, until it is resumed', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', TICKER]);
  const path = `/api/session/${session.id}/node`;
  const body = {
    parentId: node.id,
    agentType: 'custom',
    config: { command: ['sh', '-c', TICKER] },
  };
  for (const name of ['works', 'idle']) await api.call('POST', path, { ...body, name });
  const tree = watch(instance, session.id);
  const known = await tree.until((nodes) => nodes.length === 3);
  const [works, idle] = ['works', 'idle'].map((name) => known.find((one) => one.name === name));
  if (!works || !idle) throw new Error('no children');
  const feeds = [node, works].map(({ id }) => follow(instance, id));
  for (const { id } of [node, works]) await api.message(id, 'tick');
  await Promise.all(feeds.map((feed) => feed.until(isType('text'))));

  await api.call('POST', `/api/thread/${node.id}/signal`, { action: 'pause', reason: 'lunch' });
  await tree.until((nodes) => nodes.every(({ reason }) => reason === 'paused: lunch'));
  await api.message(idle.id, 'tick');
  const count = async (): Promise<number[]> =>
    Promise.all([node, works, idle].map(async ({ id }) => (await api.events(id)).length));
  // What was printed before the processes stood still is stored first; then time is what is asked for.
  const isStill = async (): Promise<boolean> => {
    const before = await count();
    await wait(1000);
    return isDeepStrictEqual(await count(), before);
  };
  await expect.poll(isStill).toBe(true);
  const before = await count();
  expect((await api.tree(session.id)).session.status).toBe('paused');
  await wait(2000);
  expect(await count()).toEqual(before);
  expect(shimPids(instance.home)).toHaveLength(2);

  const started = follow(instance, idle.id);
  await api.call('POST', `/api/thread/${node.id}/signal`, { action: 'resume' });
  await started.until(isType('text'));
  await tree.until((nodes) => nodes.every(({ reason }) => reason === null));
  for (const feed of [...feeds, started]) feed.close();
  tree.close();
  await api.call('DELETE', `/api/session/${session.id}`);
});
