import { Api, chance, follow, isType, startInstance } from '@filepath/testkit';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';

/** Says its handoff and stays, as one does that does not know when to go. The fresh one says what it was told, and ends. */
const SCRIPT = `
if [ "$FILEPATH_FRESH" = 1 ]; then
  IFS= read -r line
  case "$line" in *'half is blue'*'paint the shed'*) echo '{"type":"text","content":"told"}' ;; esac
  echo '{"type":"done","summary":"all is blue"}'
  exit 0
fi
echo '{"type":"status","state":"running"}'
echo '{"type":"handoff","summary":"half is blue"}'
while IFS= read -r line; do
  case "$line" in *'"action":"stop"'*) exit 0 ;; esac
done`;

it('[HND4] a kill at any moment of a handoff leaves one fresh process, which is told once', async () => {
  const dice = chance('handoff');
  await using instance = await startInstance();
  const api = new Api(instance);
  for (let round = 0; round < 8; round += 1) {
    const { session, node } = await api.agent(['sh', '-c', SCRIPT]);
    const feed = follow(instance, node.id);
    await api.message(node.id, 'paint the shed');
    await feed.until((event) => event.source === 'fap' && isType('handoff')(event));
    // Chance picks the moment of the fault; nothing is waited for here.
    await wait(dice.below(120));
    if (dice.below(2) === 0) {
      await instance.killEngine();
    } else {
      await instance.killProcess();
      await instance.start();
    }
    await feed.until(isType('done'));
    await feed.until(
      (event) => isType('exit')(event) && Reflect.get(Object(event.body), 'epoch') === 2,
    );
    feed.close();
    const log = await api.events(node.id);
    const told = log.filter((event) => event.source === 'system' && isType('handoff')(event));
    expect(told.map(({ body }) => body)).toMatchObject([{ why: 'handoff', from: 1, to: 2 }]);
    expect(log.filter(isType('started'))).toHaveLength(2);
    expect(log.filter(isType('text')).map(({ body }) => body)).toMatchObject([{ content: 'told' }]);
    expect(log.filter(isType('done'))).toHaveLength(1);
    await api.call('DELETE', `/api/session/${session.id}`);
  }
});
