import {
  Api,
  follow,
  type Follower,
  gate,
  git,
  isType,
  makeRepo,
  type ModelRequest,
  startInstance,
  startModelServer,
  tempDir,
  type Turn,
} from '@filepath/testkit';
import { GateResult, type LogEvent, Node, Session, type ThreadId } from '@filepath/protocol';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const LINES = Array.from({ length: 9 }, (_, n) => `${n + 1}\n`).join('');
const BOTH = LINES.replace('5\n', 'five\nFIVE\n');
const MODEL = 'anthropic/claude-haiku-4.5';
const GATES = { commands: [{ name: 'no marks', run: "! grep '^[<=>]\\{7\\}' text" }] };

const commit = (message: string): Turn => ({
  tools: [{ name: 'git', input: { action: 'commit', message } }],
});

const after =
  (seq: number, type: string) =>
  (event: LogEvent): boolean =>
    event.seq > seq && isType(type)(event);

/** Two agents that edit the same line and say so when they are let; the conflict is resolved badly at first. */
function model() {
  const ends = { one: gate(0), two: gate(0) };
  const edit = (word: string, end: Turn): Turn[] => [
    { tools: [{ name: 'edit_file', input: { path: 'text', old: '5', new: word } }] },
    commit(`feat: ${word}`),
    end,
  ];
  const scripts: readonly (readonly [RegExp, (told: string) => readonly Turn[]])[] = [
    [/^Write five/, () => edit('five', { text: 'It is five.', gate: ends.one })],
    [/^Write FIVE/, () => edit('FIVE', { text: 'It is FIVE.', gate: ends.two })],
    [
      /git merge ([0-9a-f]{40})/,
      (told) => {
        const hash = /git merge ([0-9a-f]{40})/.exec(told)?.[1] ?? '';
        const merge = { name: 'bash', input: { command: `git merge ${hash}` } };
        return [{ tools: [merge] }, commit('merge: as it is'), { text: 'Resolved.' }];
      },
    ],
    [
      /not done yet/,
      () => [
        { tools: [{ name: 'write_file', input: { path: 'text', content: BOTH } }] },
        commit('fix: keep both lines'),
        { text: 'Both lines are kept.' },
      ],
    ],
  ];
  const script = ({ messages, lastText }: ModelRequest): Turn => {
    const at = messages.findLastIndex(({ role, text }) => role === 'user' && text === lastText);
    const steps = scripts.find(([told]) => told.test(lastText))?.[1](lastText) ?? [];
    const said = messages.slice(at).filter(({ role }) => role === 'assistant').length;
    return steps[said] ?? { text: 'I have read it.' };
  };
  return { script, ends };
}

it('[MERGE18] [GIT30] siblings on the same lines are warned at work, the second merge conflicts, its task resolves it, its gate passes and its receipt is verified', async () => {
  using dir = tempDir('filepath-repo');
  makeRepo(join(dir.path, 'repo'), [{ message: 'first', files: { text: LINES } }]);
  git(dir.path, 'clone', '--quiet', '--bare', 'repo', 'remote.git');
  const gitRepoUrl = join(dir.path, 'remote.git');
  const { script, ends } = model();
  await using server = await disposable(startModelServer({ script }));
  await using instance = await startInstance({
    ANTHROPIC_API_KEY: 'key-of-a-provider',
    ANTHROPIC_BASE_URL: server.url,
  });
  const api = new Api(instance);
  const shelley = { agentType: 'shelley', model: MODEL };
  const { session, node: lead } = await api.json(
    z.object({ session: Session, node: Node }),
    'POST',
    '/api/session',
    { gitRepoUrl, root: { ...shelley, name: 'lead' } },
  );
  const made = async (name: string, config: object): Promise<{ id: ThreadId; feed: Follower }> => {
    const create = { ...shelley, name, parentId: lead.id, config };
    const path = `/api/session/${session.id}/node`;
    const { id } = (await api.json(z.object({ node: Node }), 'POST', path, create)).node;
    return { id, feed: follow(instance, id) };
  };
  const nodeNow = async (id: ThreadId): Promise<Node | undefined> =>
    (await api.tree(session.id)).nodes.find((node) => node.id === id);
  const merge = (id: ThreadId, body: object): Promise<unknown> =>
    api.json(z.object({ job: z.string() }), 'POST', `/api/node/${id}/merge`, body);

  const leadFeed = follow(instance, lead.id);
  await api.message(lead.id, 'Wait for your children.');
  await leadFeed.until(isType('done'));
  const one = await made('one', {});
  const two = await made('two', { gates: GATES });
  await api.message(one.id, 'Write five.');
  await api.message(two.id, 'Write FIVE.');

  // Both are at work: their models have not said that they are done.
  expect((await one.feed.until(isType('overlap'))).body).toMatchObject({ node: two.id });
  const warned = await two.feed.until(isType('overlap'));
  expect(warned.body).toEqual({ type: 'overlap', node: one.id, name: 'one', files: ['text'] });
  for (const { feed } of [one, two]) expect(feed.events.some(isType('done'))).toBe(false);
  expect((await nodeNow(two.id))?.overlaps).toEqual([{ node: one.id, files: ['text'] }]);
  ends.one.release();
  ends.two.release();
  await one.feed.until(isType('done'));
  await two.feed.until(isType('gate'));

  await merge(one.id, {});
  expect((await one.feed.until(isType('merged'))).body).toMatchObject({ how: 'ff' });
  await merge(two.id, { onConflict: 'agent' });
  const conflict = await two.feed.until(isType('conflict'));
  expect(conflict.body).toMatchObject({ target: 'lead', files: [{ path: 'text' }] });
  await expect.poll(() => nodeNow(two.id)).toMatchObject({ conflict: { files: ['text'] } });

  const failed = await two.feed.until(after(conflict.seq, 'gate'));
  expect(GateResult.parse(failed.body)).toMatchObject({
    passed: false,
    checks: [{ name: 'no marks', exit: 1 }],
  });
  const passed = await two.feed.until(after(failed.seq, 'gate'));
  expect(passed.run, 'the run of the task goes on').toBe(failed.run);
  const result = GateResult.parse(passed.body);
  expect(result).toMatchObject({ passed: true, clean: true });

  expect((await two.feed.until(after(passed.seq, 'merged'))).body).toMatchObject({ how: 'ff' });
  await expect.poll(async () => (await nodeNow(two.id))?.conflict).toBeUndefined();
  expect(await receiptOf(api, two.id, passed.run)).toMatchObject({
    verified: true,
    ended_by: passed.seq,
    gate: { passed: true, commit: result.commit },
  });

  await merge(two.id, { into: 'session' });
  await two.feed.until(({ body }) => Reflect.get(Object(body), 'into') === 'session');
  const push = { of: 'session' };
  await api.json(z.unknown(), 'POST', `/api/thread/${two.id}/push`, push);
  const pushed = await two.feed.until(isType('pushed'));
  const { branch } = z.object({ branch: z.string() }).parse(pushed.body);
  expect(git(gitRepoUrl, 'show', `${branch}:text`)).toBe(BOTH.trim());
  for (const feed of [leadFeed, one.feed, two.feed]) feed.close();
});

/** What is left of a run, from the thread's export. */
async function receiptOf(api: Api, thread: ThreadId, run: string | null): Promise<unknown> {
  const Line = z.looseObject({
    type: z.string(),
    receipt: z.looseObject({ type: z.string(), run_id: z.string().nullish() }).optional(),
  });
  const text = await (await api.call('GET', `/api/thread/${thread}/export`)).text();
  const lines = text
    .trim()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)));
  return lines
    .flatMap(({ receipt }) => receipt ?? [])
    .find(({ type, run_id: of }) => type === 'receipt.run' && of === run);
}

async function disposable(starting: ReturnType<typeof startModelServer>) {
  const server = await starting;
  return { url: server.url, [Symbol.asyncDispose]: () => server.close() };
}
