import { Api, follow, isType, scriptAgent, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

it('what is no event becomes a bounded log event with the reason, and the thread goes on', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { session, node } = await api.agent(scriptAgent('garbage').command);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('exit'));
  feed.close();

  const events = await api.events(node.id);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
  for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(32 * 1024);
  const rejected = events.flatMap((event) => {
    const line: unknown = Reflect.get(Object(event.body), 'rejected');
    return line === undefined ? [] : [line];
  });
  const reasons = rejected.map((line) => String(Reflect.get(Object(line), 'reason'))).join('\n');
  for (const reason of ['not JSON', 'unknown event type', 'invalid UTF-8', 'longer than 1 MiB']) {
    expect(reasons).toContain(reason);
  }
  expect(events.filter((event) => event.source === 'fap').at(-1)?.body).toMatchObject({
    type: 'done',
  });
  await expect
    .poll(async () => (await api.tree(session.id)).nodes[0])
    .toMatchObject({ status: 'done' });
});
