import { Api, follow, isType, makeRepo, startInstance, tempDir } from '@filepath/testkit';
import { type LogEvent, Node, Session } from '@filepath/protocol';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';

const CLI = fileURLToPath(new URL('../packages/cli/dist/filepath.js', import.meta.url));

type Ran = { readonly code: number; readonly out: string; readonly err: string };

/** The command on a home of its own, with no key of any provider in its environment. */
function filepath(home: string, ...args: string[]): Promise<Ran> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, FILEPATH_HOME: home };
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
    });
  });
}

const Fap = z.looseObject({ type: z.string() });
const Head = z.looseObject({ type: z.literal('head') });
const Call = z.looseObject({ type: z.literal('call'), provider: z.string(), costUsd: z.number() });

function bodies<S extends z.ZodType>(events: readonly LogEvent[], schema: S): z.output<S>[] {
  return events.flatMap(({ body }) => {
    const read = schema.safeParse(body);
    return read.success ? [read.data] : [];
  });
}

it('[OFF1] [OFF5] filepath run without a key ends with commits made and two children', async () => {
  using home = tempDir('filepath-home');
  const args = ['run', '--agent', 'shelley', '--model', 'offline/demo', 'plant a rose'];
  const ran = await filepath(home.path, ...args);
  expect(ran.code, ran.err).toBe(0);
  const said = ran.out
    .trim()
    .split('\n')
    .map((line) => Fap.parse(JSON.parse(line)));
  const started = ran.out.match(/Started \\"demo (?:reader|writer)\\"/g);
  expect(new Set(started).size).toBe(2);
  expect(said.at(-1)).toMatchObject({ type: 'done' });
  for (const words of ['demo reader\\" shelley: done', 'It said: My report', 'My part is done.']) {
    expect(ran.out).toContain(words);
  }

  await using instance = await startInstance({}, { home: home.path });
  const api = new Api(instance);
  const list = z.object({ sessions: z.array(z.object({ id: z.string() })) });
  const { sessions } = await api.json(list, 'GET', '/api/session');
  const { nodes } = await api.tree(sessions[0]?.id ?? '');
  expect(nodes.map(({ name, model, status }) => [name, model, status])).toEqual([
    [expect.any(String), 'offline/demo', 'done'],
    ['demo reader', 'offline/demo', 'done'],
    ['demo writer', 'offline/demo', 'done'],
  ]);
  const [root, reader, writer] = await Promise.all(nodes.map(({ id }) => api.events(id)));
  expect(bodies(root ?? [], Head)).toHaveLength(1);
  expect(bodies(reader ?? [], Head)).toHaveLength(0);
  expect(bodies(writer ?? [], Head)).toHaveLength(1);
  for (const events of [root, reader, writer]) {
    const calls = bodies(events ?? [], Call);
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.every(({ provider, costUsd }) => provider === 'offline' && costUsd === 0)).toBe(
      true,
    );
  }
});

it('[OFF6] [OFF7] Pi researches a repository, changes nothing, and answers again', async () => {
  using repo = tempDir('repo');
  makeRepo(repo.path);
  await using instance = await startInstance();
  const api = new Api(instance);
  const { node } = await api.json(
    z.object({ session: Session, node: Node }),
    'POST',
    '/api/session',
    {
      gitRepoUrl: repo.path,
      root: { agentType: 'pi', config: {} },
    },
  );
  expect(node.model).toBe('offline/demo');
  const feed = follow(instance, node.id);
  await api.message(node.id, 'what is in this repository?');
  await feed.until(isType('done'));
  await api.message(node.id, 'and why?');
  const isLater = ({ body }: LogEvent): boolean => JSON.stringify(body).includes('“and why?”');
  await feed.until(isLater);
  feed.close();
  expect(bodies(feed.events, Head)).toHaveLength(0);
});
