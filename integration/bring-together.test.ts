import {
  Api,
  follow,
  git,
  isType,
  makeRepo,
  scriptAgent,
  startInstance,
  tempDir,
  type Follower,
} from '@filepath/testkit';
import { Changes, type LogEvent, Node, ThreadId } from '@filepath/protocol';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const LINES = Array.from({ length: 9 }, (_, n) => `${n + 1}\n`).join('');

const after =
  (seq: number, type: string) =>
  (event: LogEvent): boolean =>
    event.seq > seq && isType(type)(event);

it('[MERGE10] siblings that change the same lines are warned, the second merge conflicts, the agent resolves it, and it is merged', async () => {
  using dir = tempDir('filepath-repo');
  makeRepo(join(dir.path, 'repo'), [{ message: 'first', files: { text: LINES } }]);
  git(dir.path, 'clone', '--quiet', '--bare', 'repo', 'remote.git');
  const gitRepoUrl = join(dir.path, 'remote.git');
  await using instance = await startInstance();
  const api = new Api(instance);
  const { command } = scriptAgent('obedient');
  const { session, node: lead } = await api.agent(command, { gitRepoUrl });
  const made = async (name: string): Promise<{ id: ThreadId; feed: Follower }> => {
    const create = { agentType: 'custom', name, parentId: lead.id, config: { command } };
    const path = `/api/session/${session.id}/node`;
    const { id } = (await api.json(z.object({ node: Node }), 'POST', path, create)).node;
    return { id, feed: follow(instance, id) };
  };
  const nodeNow = async (id: ThreadId): Promise<Node | undefined> =>
    (await api.tree(session.id)).nodes.find((node) => node.id === id);
  const leadFeed = follow(instance, lead.id);
  await api.message(lead.id, 'do true');
  await leadFeed.until(isType('done'));
  await expect.poll(async () => (await nodeNow(lead.id))?.status).toBe('done');

  const one = await made('one');
  const two = await made('two');
  // Neither has committed anything yet, and both processes live.
  await api.message(one.id, `do sed -i s/^5$/five/ text`);
  await one.feed.until(isType('done'));
  await api.message(two.id, `do sed -i s/^5$/FIVE/ text`);
  const warned = await two.feed.until(isType('overlap'));
  expect(warned.body).toEqual({ type: 'overlap', node: one.id, name: 'one', files: ['text'] });
  expect((await one.feed.until(isType('overlap'))).body).toMatchObject({ node: two.id });
  expect((await nodeNow(one.id))?.overlaps).toEqual([{ node: two.id, files: ['text'] }]);
  for (const { id, feed } of [one, two]) {
    const { seq } = await feed.until(isType('done'));
    await api.message(id, 'do git commit -qam five');
    await feed.until(after(seq, 'done'));
  }

  const { changes } = await api.json(
    z.object({ changes: Changes }),
    'GET',
    `/api/node/${two.id}/changes`,
  );
  expect(changes.files).toMatchObject([{ path: 'text', committed: true, additions: 1 }]);

  const merge = (id: ThreadId, body: object): Promise<unknown> =>
    api.json(z.object({ job: z.string() }), 'POST', `/api/node/${id}/merge`, body);
  await merge(one.id, {});
  expect((await one.feed.until(isType('merged'))).body).toMatchObject({ how: 'ff', taken: true });
  const first = await leadFeed.until(isType('merged'));
  expect(first.body).toMatchObject({ name: 'one' });
  await merge(two.id, { onConflict: 'agent' });
  const conflict = await two.feed.until(isType('conflict'));
  expect(conflict.body).toMatchObject({ target: lead.name, files: [{ path: 'text' }] });
  // When the task is done, the merge is asked for again.
  const resolved = await two.feed.until(isType('merged'));
  expect(resolved.body).toMatchObject({ how: 'ff', taken: true });
  expect(two.feed.events.some(after(conflict.seq, 'done'))).toBe(true);
  await expect.poll(async () => (await nodeNow(two.id))?.conflict).toBeUndefined();

  await merge(lead.id, { into: 'session' });
  const second = await leadFeed.until(after(first.seq, 'merged'));
  expect(second.body).toMatchObject({ name: 'two' });
  const whole = await leadFeed.until(after(second.seq, 'merged'));
  expect(whole.body).toMatchObject({ into: 'session', how: 'ff' });
  await api.json(z.object({ job: z.string() }), 'POST', `/api/thread/${lead.id}/push`, {
    of: 'session',
  });
  const pushed = await leadFeed.until(isType('pushed'));
  const { branch } = z.object({ branch: z.string() }).parse(pushed.body);
  expect(git(gitRepoUrl, 'show', `${branch}:text`)).toBe('1\n2\n3\n4\nFIVE\nfive\n6\n7\n8\n9');
  for (const feed of [leadFeed, one.feed, two.feed]) feed.close();
});

it('[MERGE19] a conflict is the task of a new agent, whose merge brings both works to the parent', async () => {
  using dir = tempDir('filepath-repo');
  makeRepo(dir.path, [{ message: 'first', files: { text: LINES } }]);
  await using instance = await startInstance();
  const api = new Api(instance);
  const { command } = scriptAgent('obedient');
  const { session, node: lead } = await api.agent(command, { gitRepoUrl: dir.path });
  const feeds = [follow(instance, lead.id)];
  await api.message(lead.id, 'do true');
  await feeds[0]?.until(isType('done'));
  const made = async (word: string): Promise<{ id: ThreadId; feed: Follower }> => {
    const create = { agentType: 'custom', name: word, parentId: lead.id, config: { command } };
    const path = `/api/session/${session.id}/node`;
    const { id } = (await api.json(z.object({ node: Node }), 'POST', path, create)).node;
    const feed = follow(instance, id);
    feeds.push(feed);
    await api.message(id, `do sed -i s/^5$/${word}/ text; git commit -qam ${word}`);
    await feed.until(isType('done'));
    return { id, feed };
  };
  const merge = async (id: ThreadId): Promise<unknown> => {
    const path = `/api/node/${id}/merge?wait=60`;
    const Answer = z.object({ result: z.looseObject({ type: z.string() }) });
    return (await api.json(Answer, 'POST', path, {})).result;
  };
  const one = await made('one');
  const two = await made('two');
  expect(await merge(one.id)).toMatchObject({ type: 'merged' });
  expect(await merge(two.id)).toMatchObject({ type: 'conflict' });
  const nodeNow = async (id: ThreadId): Promise<Node | undefined> =>
    (await api.tree(session.id)).nodes.find((node) => node.id === id);
  await expect.poll(async () => (await nodeNow(two.id))?.conflict).toBeDefined();

  const path = `/api/node/${two.id}/merge/resolve`;
  const { node } = await api.json(z.object({ node: ThreadId }), 'POST', path, { by: 'new' });
  const feed = follow(instance, node);
  feeds.push(feed);
  expect(await nodeNow(node)).toMatchObject({ parentId: lead.id, name: 'merge-two' });
  expect((await feed.until(isType('merged'))).body).toMatchObject({ node, taken: true });
  const by = await two.feed.until(isType('merged'));
  expect(by.body, 'the parent has its work by the other').toMatchObject({ how: 'none' });
  await expect.poll(async () => (await nodeNow(two.id))?.conflict).toBeUndefined();
  const Answer = z.object({ changes: Changes });
  const { changes } = await api.json(Answer, 'GET', `/api/node/${node}/changes`);
  expect(changes.files).toMatchObject([{ path: 'text', additions: 1, deletions: 0 }]);
  for (const each of feeds) each.close();
});
