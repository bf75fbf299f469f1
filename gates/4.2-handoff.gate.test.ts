import {
  Api,
  follow,
  isType,
  makeRepo,
  type ModelRequest,
  startInstance,
  startModelServer,
  tempDir,
  type Turn,
} from '@filepath/testkit';
import { type Block, Node, Session, toBlocks } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';

const TASK = 'Build a tower of four floors.';

/** Of a window of 200,000 tokens. */
const NEARLY_FULL = { input: 180_000 };

/** A model whose context is full after each floor: it knows from what it is told which one comes next. */
function script({ system, messages }: ModelRequest): Turn {
  const told = messages.map(({ text }) => text).join('\n');
  if (system.includes('hands unfinished work to the next')) {
    return { text: `Floor ${told.match(/floor-(\d)/)?.[1] ?? '?'} stands.` };
  }
  const stands = Number(told.match(/Floor (\d) stands\./)?.[1] ?? 0);
  if (stands === 3) return { text: 'The tower stands.' };
  const floor = stands + 1;
  const path = `floor-${floor}.txt`;
  return { tools: [{ name: 'write_file', input: { path, content: 'x\n' } }], usage: NEARLY_FULL };
}

const ofKind = <Kind extends Block['kind']>(blocks: readonly Block[], kind: Kind) =>
  blocks.filter((block): block is Extract<Block, { kind: Kind }> => block.kind === kind);

it('an agent that reaches its limit three times hands off three times and finishes; a restart begins with the last handoff', async () => {
  const server = await startModelServer({ script });
  using repo = tempDir('repo');
  makeRepo(repo.path);
  await using instance = await startInstance({
    ANTHROPIC_API_KEY: 'key-of-a-provider',
    ANTHROPIC_BASE_URL: server.url,
  });
  const api = new Api(instance);
  const { session, node } = await api.json(
    z.object({ session: Session, node: Node }),
    'POST',
    '/api/session',
    {
      gitRepoUrl: repo.path,
      root: { agentType: 'shelley', model: 'anthropic/claude-haiku-4.5' },
    },
  );
  const feed = follow(instance, node.id);
  await api.message(node.id, TASK);
  const done = await feed.until(isType('done'));
  expect(done.body).toMatchObject({ summary: 'The tower stands.' });

  const blocks = toBlocks(feed.events);
  const handoffs = ofKind(blocks, 'handoff');
  expect(handoffs.map(({ summary, next }) => [summary, next?.from, next?.to])).toEqual([
    ['Floor 1 stands.', 1, 2],
    ['Floor 2 stands.', 2, 3],
    ['Floor 3 stands.', 3, 4],
  ]);
  for (const { summary, next } of handoffs) {
    expect(next?.content).toContain(summary);
    expect(next?.content).toContain(TASK);
  }
  expect(ofKind(blocks, 'tool').map(({ path, status }) => [path, status])).toEqual([
    ['floor-1.txt', 'done'],
    ['floor-2.txt', 'done'],
    ['floor-3.txt', 'done'],
  ]);
  const said = ofKind(blocks, 'message').filter(({ from }) => from === 'user');
  expect(said.map(({ content }) => content)).toEqual([TASK]);
  expect(blocks.filter(({ kind }) => kind === 'unknown')).toEqual([]);

  // Each process began a conversation of its own, with what it was told first.
  const begun = server.calls
    .map(({ request }) => request)
    .filter(({ replies, tools }) => replies === 0 && tools.length > 0);
  const first = [TASK, ...handoffs.map(({ next }) => next?.content ?? '(nothing)')];
  expect(begun).toHaveLength(first.length);
  for (const [nth, { messages }] of begun.entries()) {
    expect(messages[0]?.text.startsWith(first[nth] ?? '')).toBe(true);
  }
  // The tree is told after the thread.
  await expect
    .poll(async () => (await api.tree(session.id)).nodes[0])
    .toMatchObject({ id: node.id, status: 'done' });

  await api.json(z.unknown(), 'POST', `/api/node/${node.id}/restart`);
  const again = await feed.until(({ source, body }) => {
    return source === 'system' && Reflect.get(Object(body), 'why') === 'restart';
  });
  await feed.until((event) => event.seq > again.seq && isType('done')(event));
  feed.close();
  await server.close();
  const last = ofKind(toBlocks(feed.events), 'handoff').at(-1);
  expect(last).toMatchObject({
    summary: null,
    next: { why: 'restart', from: 4, to: 5, content: handoffs[2]?.next?.content },
  });
});
