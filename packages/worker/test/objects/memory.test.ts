import { env } from 'cloudflare:workers';
import { Memory, MemoryStored, type Node, type Session } from '@filepath/protocol';
import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { askAs, holderOf, type Me } from './support/agents.ts';
import { ask, call, custom, newNode, newSession, OWNER } from './support/api.ts';
import { TestLink, TestRunner } from './support/runner.ts';
import { signInAs } from './support/users.ts';

const Listed = z.object({ memories: z.array(Memory), total: z.int() });
const Found = z.object({ memories: z.array(Memory) });
const repo = () => `https://git.test/${crypto.randomUUID()}`;

async function listed(query = '', headers: Record<string, string> = OWNER) {
  const response = await call(`/api/memories${query}`, { headers });
  expect(response.status).toBe(200);
  return Listed.parse(await response.json()).memories;
}

async function found(agent: Me, query = ''): Promise<string[]> {
  const response = await askAs(agent, `memories${query}`);
  expect(response.status).toBe(200);
  return Found.parse(await response.json()).memories.map(({ content }) => content);
}

async function store(agent: Me, body: object): Promise<Memory> {
  const response = await askAs(agent, 'memories', body);
  expect(response.status).toBe(201);
  return MemoryStored.parse(await response.json()).memory;
}

type Scene = { session: Session; node: Node; agent: Me };

async function scene(runner: TestRunner, gitRepoUrl: string | null): Promise<Scene> {
  const session = await newSession({ gitRepoUrl });
  const node = await newNode(session.id, {
    ...custom,
    config: { ...custom.config, envVars: { DB_PASSWORD: 'hunter2-hunter2' } },
  });
  return { session, node, agent: await holderOf(runner, node.id) };
}

/** Words that come out of what is stored, as soon as they are there. */
const until = (query: string, contents: string[]) =>
  vi.waitFor(
    async () => expect((await listed(query)).map(({ content }) => content)).toEqual(contents),
    { timeout: 10_000 },
  );

describe('an agent', () => {
  it('[MEM7] stores, finds and forgets by its key, within its own scopes', async () => {
    const runner = await TestRunner.connect();
    const url = repo();
    const { session, node, agent } = await scene(runner, url.replace('//', '//me:pass-word-1@'));
    const memory = await store(agent, { content: 'Tests need a database.', tags: ['ci'] });
    expect(memory).toMatchObject({
      scope: 'repository',
      key: url.replace('https://', ''),
      source: { by: 'agent', name: node.name, session: session.id, thread: node.id, seq: null },
    });
    await store(agent, { content: 'mine alone', scope: 'agent' });
    await store(agent, { content: 'of this session', scope: 'session' });

    const same = await scene(runner, `${url}.git`);
    const other = await scene(runner, repo());
    expect(await found(same.agent, '?q=database')).toEqual(['Tests need a database.']);
    expect(await found(same.agent)).not.toContain('of this session');
    expect(await found(other.agent)).not.toContain('Tests need a database.');
    expect(await found(agent, '?scope=agent')).toEqual(['mine alone']);
    const child = await newNode(session.id, { parentId: node.id });
    expect(await found(await holderOf(runner, child.id), '?scope=session')).toEqual([
      'of this session',
    ]);

    const forget = (who: Me) => askAs(who, `memories/${memory.id}`, undefined, 'DELETE');
    expect((await forget(other.agent)).status).toBe(404);
    expect((await forget(same.agent)).status).toBe(204);
    expect((await forget(same.agent)).status).toBe(404);
    expect(await found(agent, '?q=database')).toEqual([]);
  });

  it('[MEM7] cannot forget what a person wrote', async () => {
    const runner = await TestRunner.connect();
    const { agent } = await scene(runner, null);
    const content = `Answer in French ${crypto.randomUUID()}.`;
    const stored = await ask(201, 'POST', '/api/memories', { content });
    const { id } = MemoryStored.parse(stored).memory;
    const answer = await askAs(agent, `memories/${id}`, undefined, 'DELETE');
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('only they can remove it');
    await ask(204, 'DELETE', `/api/memories/${id}`);
    await ask(404, 'DELETE', `/api/memories/${id}`);
  });

  it('[MEM4] stores neither its own secrets nor those of the instance', async () => {
    const runner = await TestRunner.connect();
    const url = repo();
    const { agent } = await scene(runner, url.replace('//', '//me:pass-word-1@'));
    const words = ['hunter2-hunter2', agent.key, 'pass-word-1', 'sk-ant-canary-0123456789'];
    const { content } = await store(agent, { content: `Use ${words.join(' or ')}.` });
    expect(content).toBe('Use [redacted] or [redacted] or [redacted] or [redacted].');
    expect(await listed(`?q=canary&repository=${encodeURIComponent(url)}`)).toEqual([]);
  });

  it('[MEM1] is told what is wrong with what it stores', async () => {
    const runner = await TestRunner.connect();
    const { agent } = await scene(runner, null);
    const refused = async (body: object) => {
      const response = await askAs(agent, 'memories', body);
      return [response.status, await response.text()] as const;
    };
    expect(await refused({ content: 'x', scope: 'repository' })).toEqual([
      400,
      expect.stringContaining('use the scope session'),
    ]);
    expect((await refused({ content: ' ' }))[0]).toBe(400);
    expect((await refused({ content: 'x'.repeat(4001) }))[0]).toBe(400);
    expect(await store(agent, { content: 'x' })).toMatchObject({ scope: 'session' });
    for (const q of ['"', 'a" OR "b', 'NEAR(', '*', "'; DROP TABLE memories"]) {
      expect((await askAs(agent, `memories?q=${encodeURIComponent(q)}`)).status).toBe(200);
    }
  });
});

describe('what an agent prints', () => {
  it('[MEM5] is stored once per event, with its place in the log, across kills and repeated telling', async () => {
    const runner = await TestRunner.connect();
    const url = repo();
    const { session, node } = await scene(runner, url);
    const query = `?repository=${encodeURIComponent(url)}`;
    const link = await TestLink.open(node.id, 1, 1);
    await link.started();
    await link.say(
      { type: 'memory', content: 'Use pnpm.' },
      { type: 'memory', content: 'y'.repeat(5000), tags: ['a', ' ', 'b'.repeat(50)] },
      { type: 'memory', content: '  ' },
    );
    await until(query, ['y'.repeat(4000), 'Use pnpm.']);
    const [long, short] = await listed(query);
    expect(long?.tags).toEqual(['a', 'b'.repeat(40)]);
    expect(short?.source).toMatchObject({ by: 'agent', thread: node.id, seq: 3 });

    // The person forgets it; the thread tells it again, as after a kill before it knew that it was taken.
    await ask(204, 'DELETE', `/api/memories/${short?.id}`);
    const stub = env.SESSION.getByName(session.id);
    await evictDurableObject(stub);
    const note = { seq: 3, content: 'Use pnpm.', scope: null, tags: [] };
    await stub.note(node.id, { kind: 'memory', note });
    await stub.note(node.id, {
      kind: 'memory',
      note: { ...note, seq: 9, content: 'Later.' },
    });
    await until(query, ['Later.', 'y'.repeat(4000)]);
  });

  it('[MEM11] goes with its session or agent, unless it is about more than those', async () => {
    const runner = await TestRunner.connect();
    const url = repo();
    const { session, node, agent } = await scene(runner, url);
    const child = await newNode(session.id, { parentId: node.id });
    const helper = await holderOf(runner, child.id);
    const mark = crypto.randomUUID().replaceAll('-', '');
    for (const [who, name] of [
      [agent, 'root'],
      [helper, 'child'],
    ] as const) {
      for (const scope of ['agent', 'session', 'repository'] as const) {
        await store(who, { content: `${mark} ${scope} of ${name}`, scope });
      }
    }
    const left = async () =>
      (await listed(`?q=${mark}`)).map(({ content }) => content.slice(mark.length + 1)).sort();
    await ask(204, 'DELETE', `/api/session/${session.id}/node/${child.id}`);
    expect(await left()).toEqual([
      'agent of root',
      'repository of child',
      'repository of root',
      'session of child',
      'session of root',
    ]);
    await ask(204, 'DELETE', `/api/session/${session.id}`);
    expect(await left()).toEqual(['repository of child', 'repository of root']);
    expect((await askAs(agent, 'memories')).status).toBe(401);
  });
});

describe('a person', () => {
  it('[MEM10] lists, searches, adds, changes and removes', async () => {
    const url = repo();
    const body = { content: 'The port is 3000.', scope: 'repository', key: `${url}/` };
    const { memory } = MemoryStored.parse(await ask(201, 'POST', '/api/memories', body));
    expect(memory).toMatchObject({ source: { by: 'person' }, key: url.replace('https://', '') });
    const again = MemoryStored.parse(await ask(201, 'POST', '/api/memories', body));
    expect(again).toMatchObject({ refreshed: true, memory: { id: memory.id } });
    await ask(200, 'PATCH', `/api/memories/${memory.id}`, { content: 'The port is 4000.' });
    const query = `repository=${encodeURIComponent(url)}`;
    expect(await listed(`?${query}&q=3000`)).toEqual([]);
    expect(await listed(`?${query}&q=4000&scope=repository`)).toMatchObject([{ id: memory.id }]);
    await ask(204, 'DELETE', `/api/memories/${memory.id}`);
    expect(await listed(`?${query}`)).toEqual([]);
    await ask(400, 'POST', '/api/memories', { content: 'x', scope: 'repository', key: 'shop' });
    await ask(400, 'PATCH', `/api/memories/${memory.id}`, {});
    await ask(404, 'PATCH', `/api/memories/${memory.id}`, { content: 'x' });
  });

  it('[MEM14] nothing of one user’s is seen, changed or forgotten by another or another’s agents', async () => {
    const runner = await TestRunner.connect();
    const other = await signInAs(`other-${crypto.randomUUID()}`);
    const url = repo();
    const { session, node, agent } = await scene(runner, url);
    const mine = await store(agent, { content: 'Ours is the port 3000.' });
    const send = (method: string, path: string, body?: unknown) =>
      call(path, { method, headers: other, body });

    expect(await listed('', other)).toEqual([]);
    expect(await listed('?q=port', other)).toEqual([]);
    expect((await send('DELETE', `/api/memories/${mine.id}`)).status).toBe(404);
    expect((await send('PATCH', `/api/memories/${mine.id}`, { content: 'x' })).status).toBe(404);
    for (const [scope, key] of [
      ['session', session.id],
      ['agent', node.id],
    ]) {
      const answer = await send('POST', '/api/memories', { content: 'x', scope, key });
      expect(answer.status).toBe(404);
    }

    // The same repository, another user: theirs is theirs.
    const theirs = { content: 'Theirs is the port 5000.', scope: 'repository', key: url };
    expect((await send('POST', '/api/memories', theirs)).status).toBe(201);
    const everywhere = { content: 'Theirs is everywhere, on every port.' };
    expect((await send('POST', '/api/memories', everywhere)).status).toBe(201);
    expect(await found(agent, '?q=port')).toEqual(['Ours is the port 3000.']);
    expect((await listed('?q=port', other)).map(({ content }) => content).sort()).toEqual([
      'Theirs is everywhere, on every port.',
      'Theirs is the port 5000.',
    ]);
    const [one] = await listed('?q=5000', other);
    expect((await askAs(agent, `memories/${one?.id}`, undefined, 'DELETE')).status).toBe(404);
  });
});
