import { Api, follow, isType, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

/** Meets a limit of some seconds with its first task, and stays as programs do. It is done when it is told to go on. */
const SCRIPT = `
IFS= read -r line
case "$line" in
  *'Go on where you were'*) echo '{"type":"done","summary":"went on"}'; exit 0 ;;
esac
until=$(date -u -d '+8 seconds' +%Y-%m-%dT%H:%M:%SZ)
echo '{"type":"status","state":"error","reason":"rate limited","until":"'"$until"'"}'
while IFS= read -r line; do
  case "$line" in *'"action":"stop"'*) exit 0 ;; esac
done`;

it('[LIM4] a subtree whose agent meets a limit pauses until it is over, and goes on by itself', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', SCRIPT]);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'work');
  const isSignal = (action: string) => (event: { body: unknown }) =>
    Reflect.get(Object(event.body), 'action') === action;
  const paused = await feed.until(isSignal('pause'));
  expect(paused).toMatchObject({ source: 'system' });
  const reason = String(Reflect.get(Object(paused.body), 'reason'));
  expect(reason).toMatch(/ limit until 2\d{3}-/);
  const done = await feed.until(isType('done'));
  feed.close();
  expect(done.body).toMatchObject({ summary: 'went on' });
  const until = Date.parse(String(Reflect.get(Object(paused.body), 'until')));
  const started = feed.events.filter(isType('started'));
  expect(started).toHaveLength(2);
  expect(Date.parse(started[1]?.at ?? '')).toBeGreaterThanOrEqual(until);
  expect(feed.events.filter(isSignal('resume'))).toMatchObject([{ source: 'system' }]);
  await expect
    .poll(async () => (await api.tree(session.id)).nodes[0])
    .toMatchObject({ status: 'done', reason: null });
});
