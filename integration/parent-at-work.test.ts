import {
  Api,
  follow,
  type Follower,
  git,
  isType,
  makeRepo,
  startInstance,
  tempDir,
} from '@filepath/testkit';
import { JobResult, type LogEvent, Node, type ThreadId } from '@filepath/protocol';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

/** Does what its messages say and nothing that the system tells it; while there is a file `wait` it is at work. */
const DEAF = `git config user.name a; git config user.email a@a
while read -r line; do
  case $line in
  *'"from":"system"'*) ;;
  *'"do '*)
    printf '{"type":"status","state":"running"}\\n'
    sh -c "$(printf %s "$line" | sed 's/.*"do \\(.*\\)"}$/\\1/')"
    while [ -e wait ]; do sleep 0.05; done
    printf '{"type":"done"}\\n' ;;
  esac
done`;
const command = ['sh', '-c', DEAF];

type Child = { id: ThreadId; feed: Follower };

async function opened() {
  const dir = tempDir('filepath-repo');
  makeRepo(join(dir.path, 'repo'), [{ message: 'first', files: { text: '1\n', own: '1\n' } }]);
  git(dir.path, 'clone', '--quiet', '--bare', 'repo', 'remote.git');
  const remote = join(dir.path, 'remote.git');
  const instance = await startInstance();
  const api = new Api(instance);
  const { session, node: lead } = await api.agent(command, { gitRepoUrl: remote });
  const feeds: Follower[] = [];
  const followed = (id: ThreadId): Child => {
    const feed = follow(instance, id);
    feeds.push(feed);
    return { id, feed };
  };
  const ran = async ({ id, feed }: Child, script: string): Promise<void> => {
    const from = feed.events.at(-1)?.seq ?? 0;
    await api.message(id, `do ${script}`);
    await feed.until((event: LogEvent) => event.seq > from && isType('done')(event));
  };
  const made = async (name: string): Promise<Child> => {
    const create = { agentType: 'custom', name, parentId: lead.id, config: { command } };
    const path = `/api/session/${session.id}/node`;
    const { node } = await api.json(z.object({ node: Node }), 'POST', path, create);
    const child = followed(node.id);
    await ran(child, `echo ${name} > ${name}; git add ${name}; git commit -qm ${name}`);
    return child;
  };
  const nodeNow = async (id: ThreadId): Promise<Node | undefined> =>
    (await api.tree(session.id)).nodes.find((node) => node.id === id);
  const asked = async (path: string, body: object): Promise<JobResult> =>
    (await api.json(z.object({ result: JobResult }), 'POST', `${path}?wait=60`, body)).result;
  const root = followed(lead.id);
  await ran(root, 'true');
  return {
    remote,
    api,
    instance,
    root,
    slug: lead.slug,
    ran,
    made,
    nodeNow,
    merge: (id: ThreadId, body = {}) => asked(`/api/node/${id}/merge`, body),
    push: (id: ThreadId) => asked(`/api/thread/${id}/push`, {}),
    rests: async () => {
      await expect.poll(async () => (await nodeNow(lead.id))?.status).toBe('done');
    },
    [Symbol.asyncDispose]: async () => {
      for (const feed of feeds) feed.close();
      await instance[Symbol.asyncDispose]();
      dir[Symbol.dispose]();
    },
  };
}

const filesOf = (remote: string, branch: string): string[] =>
  git(remote, 'ls-tree', '--name-only', branch).split('\n');

it('[MERGE2] [MERGE23] what is merged into a parent with changes is in its pushes, and is not lost when it commits', async () => {
  await using at = await opened();
  const { root, remote, slug } = at;
  const one = await at.made('one');
  const two = await at.made('two');
  await at.ran(root, 'echo 2 >> own');
  await at.rests();
  expect(await at.merge(one.id)).toMatchObject({ type: 'merged', taken: false });
  await expect
    .poll(async () => (await at.nodeNow(root.id))?.waiting?.of)
    .toMatchObject([{ node: one.id, name: 'one' }]);
  expect(await at.push(root.id)).toMatchObject({ type: 'pushed' });
  expect(filesOf(remote, `filepath/${slug}`)).toEqual(['one', 'own', 'text']);
  await at.ran(root, 'git commit -qam own');
  // The session asks for it again when the run has ended.
  await expect.poll(async () => (await at.nodeNow(root.id))?.waiting).toBeUndefined();
  expect(await at.merge(two.id)).toMatchObject({ type: 'merged', taken: true });
  await at.ran(root, 'test -e one && test -e two && git rm -q text && git commit -qm all');
  expect(await at.push(root.id)).toMatchObject({ type: 'pushed' });
  expect(filesOf(remote, `filepath/${slug}`)).toEqual(['one', 'own', 'two']);
});

it('[MERGE25] a parent at work that never took what was merged has it when its run has ended, and so has a child that begins then', async () => {
  await using at = await opened();
  const { root, slug } = at;
  const one = await at.made('one');
  await at.api.message(root.id, 'do touch wait');
  await expect.poll(async () => (await at.nodeNow(root.id))?.status).toBe('running');
  expect(await at.merge(one.id)).toMatchObject({ type: 'merged', taken: false });
  await expect.poll(async () => (await at.nodeNow(root.id))?.waiting).toBeDefined();
  rmSync(join(at.instance.home, 'agents', slug, 'workspace', 'wait'));
  await expect.poll(async () => (await at.nodeNow(root.id))?.waiting).toBeUndefined();
  const late = await at.made('late');
  await at.ran(late, 'test -e one && touch found && git add found && git commit -qm found');
  expect(await at.merge(late.id)).toMatchObject({ type: 'merged', taken: true });
  expect(await at.push(root.id)).toMatchObject({ type: 'pushed' });
  const all = ['found', 'late', 'one', 'own', 'text'];
  expect(filesOf(at.remote, `filepath/${slug}`)).toEqual(all);
});
