import { type LogEvent, Node } from '@filepath/protocol';
import { Api, follow, isType, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { z } from 'zod';

/** Meets a limit of some seconds with its first task, and stays as programs do. It is done when it is told to go on. */
const LIMITED = `
IFS= read -r line
case "$line" in
  *'Go on where you were'*'paint the shed'*) echo '{"type":"done","summary":"went on"}'; exit 0 ;;
esac
until=$(date -u -d '+8 seconds' +%Y-%m-%dT%H:%M:%SZ)
echo '{"type":"status","state":"error","reason":"rate limited","until":"'"$until"'"}'
while IFS= read -r line; do
  case "$line" in *'"action":"stop"'*) exit 0 ;; esac
done`;

/** Works until it hears that it was held still. */
const HELD = `
IFS= read -r line
echo '{"type":"status","state":"thinking"}'
while IFS= read -r line; do
  case "$line" in *'"action":"resume"'*) echo '{"type":"done","summary":"was held"}'; exit 0 ;; esac
done`;

const isSignal =
  (action: string) =>
  ({ body }: Pick<LogEvent, 'body'>) =>
    Reflect.get(Object(body), 'action') === action;

it('[LIM4] a subtree whose agent meets a limit pauses until it is over, and goes on by itself', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { session, node: top } = await api.agent(['sh', '-c', HELD]);
  const below = async (parentId: string, script: string): Promise<Node> => {
    const wish = { parentId, agentType: 'custom', config: { command: ['sh', '-c', script] } };
    const path = `/api/session/${session.id}/node`;
    return (await api.json(z.object({ node: Node }), 'POST', path, wish)).node;
  };
  const limited = await below(top.id, LIMITED);
  const child = await below(limited.id, HELD);
  const grandchild = await below(child.id, HELD);
  const beside = await below(top.id, HELD);

  const others = [top, child, grandchild, beside].map(({ id }) => follow(instance, id));
  const isAtWork = (event: LogEvent) => event.source === 'fap';
  for (const { id } of [top, child, grandchild, beside]) await api.message(id, 'work');
  await Promise.all(others.map((feed) => feed.until(isAtWork)));
  const feed = follow(instance, limited.id);
  await api.message(limited.id, 'paint the shed');

  const paused = await feed.until(isSignal('pause'));
  expect(paused).toMatchObject({ source: 'system' });
  expect(String(Reflect.get(Object(paused.body), 'reason'))).toMatch(/^limit until 2\d{3}-/);
  const until = Date.parse(String(Reflect.get(Object(paused.body), 'until')));
  const done = await feed.until(isType('done'));
  expect(done.body).toMatchObject({ summary: 'went on' });
  const started = feed.events.filter(isType('started'));
  expect(started).toHaveLength(2);
  expect(Date.parse(started[1]?.at ?? '')).toBeGreaterThanOrEqual(until);
  expect(feed.events.filter(isSignal('resume'))).toMatchObject([{ source: 'system' }]);

  const [above, ...subtree] = others;
  const free = subtree.pop();
  for (const held of subtree) {
    const end = await held.until(isType('done'));
    expect(end.body).toMatchObject({ summary: 'was held' });
    expect(Date.parse(end.at)).toBeGreaterThanOrEqual(until);
    expect(held.events.filter(isSignal('pause'))).toMatchObject([{ body: paused.body }]);
    expect(held.events.filter(isType('started'))).toHaveLength(1);
  }
  for (const one of [above, free]) expect(one?.events.some(isSignal('pause'))).toBe(false);
  for (const one of [feed, ...others]) one.close();
  const ids = [limited, child, grandchild].map(({ id }) => id);
  await expect
    .poll(async () => (await api.tree(session.id)).nodes.filter(({ id }) => ids.includes(id)))
    .toMatchObject(ids.map(() => ({ status: 'done', reason: null })));
});
