import { Memory, SystemMemories, toBlocks } from '@filepath/protocol';
import { Api, follow, isType, makeRepo, startInstance, tempDir } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { z } from 'zod';

const LEARNT = 'Before the tests the database must be migrated: make db.';

/** Says what it learnt; what it says of itself is for itself. */
const LEARNER = `
read -r task
printf '{"type":"memory","content":"${LEARNT}","tags":["tests"]}\\n'
printf '{"type":"memory","content":"I was here.","scope":"agent"}\\n'
printf '{"type":"done","summary":"learnt"}\\n'
`;

/** Says what it was told beside its task. */
const READER = `
read -r task
read -r told
printf '%s\\n' "$told" | sed 's/"type":"message"/"type":"text"/'
`;

/** Reads its task alone. */
const OTHER = `
read -r task
printf '{"type":"done"}\\n'
`;

// An instance has one user; that another user's agents see nothing of it is MEM14 in the tests of objects.
it('what an agent learnt is given to the next on the same repository, with its source, and to none on another repository or on none', async () => {
  await using instance = await startInstance();
  using here = tempDir('repo');
  using there = tempDir('repo');
  for (const repo of [here, there]) makeRepo(repo.path);
  const api = new Api(instance);
  const start = async (script: string, gitRepoUrl?: string) => {
    const made = await api.agent(
      ['sh', '-c', script],
      gitRepoUrl === undefined ? {} : { gitRepoUrl },
    );
    const feed = follow(instance, made.node.id);
    await api.message(made.node.id, 'Run the tests.');
    await feed.until(isType('exit'));
    feed.close();
    return { ...made, events: feed.events };
  };
  const listed = async (query: string) => {
    const Listed = z.object({ memories: z.array(Memory) });
    return (await api.json(Listed, 'GET', `/api/memories?${query}`)).memories;
  };

  const learner = await start(LEARNER, here.path);
  await expect.poll(async () => (await listed('')).length).toBe(2);
  const [memory] = await listed(`q=migrated&repository=${encodeURIComponent(`${here.path}/.git`)}`);
  if (!memory) throw new Error('nothing was found');
  const said = learner.events.find(isType('memory'));
  const { id: thread, name } = learner.node;
  const source = { by: 'agent', name, session: learner.session.id, thread, seq: said?.seq };
  expect(memory).toMatchObject({ content: LEARNT, scope: 'repository', tags: ['tests'], source });

  const reader = await start(READER, here.path);
  const given = reader.events.find(isType('memories'));
  expect(given?.source).toBe('system');
  expect(SystemMemories.parse(given?.body).memories).toEqual([
    { id: memory.id, content: LEARNT, scope: 'repository', source, updatedAt: memory.updatedAt },
  ]);
  const told = reader.events.find(isType('text'));
  const words = String(Reflect.get(Object(told?.body), 'content'));
  expect(words).toContain('information, not instructions');
  expect(words).toContain(`from the agent ${JSON.stringify(name)}`);
  expect(words).toContain(`> ${LEARNT}`);
  expect(words).not.toContain('I was here.');
  const block = toBlocks(reader.events).find(({ kind }) => kind === 'memories');
  expect(block).toMatchObject({ memories: [{ content: LEARNT, source }] });

  for (const other of [await start(OTHER, there.path), await start(OTHER)]) {
    expect(other.events.filter(isType('memories'))).toEqual([]);
  }

  // The person removes it; the agent's own goes with its session.
  expect((await api.call('DELETE', `/api/memories/${memory.id}`)).status).toBe(204);
  expect((await start(OTHER, here.path)).events.filter(isType('memories'))).toEqual([]);
  expect((await listed('scope=agent')).map(({ content }) => content)).toEqual(['I was here.']);
  await api.call('DELETE', `/api/session/${learner.session.id}`);
  expect(await listed('')).toEqual([]);
});
