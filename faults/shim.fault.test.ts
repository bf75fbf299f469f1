import { agentPids, Api, chance, follow, isType, shimPids, startInstance } from '@filepath/testkit';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { bodyOf, groupOf } from './support.ts';

/** Prints, and leaves processes behind in every way it can. */
const AGENT = `(setsid sh -c 'trap "" TERM HUP; while :; do sleep 0.1; done' &)
(trap '' HUP; while :; do sleep 0.1; done) &
n=0; while :; do n=$((n + 1)); printf '{"type":"text","content":"%d"}\\n' "$n"; done`;

const ROUNDS = 12;

it('[F3] kill -9 of the shim at any moment: nothing of it is left in 2 s, and its end is told once', async () => {
  const dice = chance('shim');
  await using instance = await startInstance();
  const api = new Api(instance);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { session, node } = await api.agent(['sh', '-c', AGENT]);
    const feed = follow(instance, node.id);
    await api.message(node.id, 'go');
    let shim: number | undefined;
    while (shim === undefined) {
      await wait(1);
      [shim] = shimPids(instance.home);
    }
    // Chance picks the moment of the fault: while it starts, or while it prints.
    await wait(dice.below(round % 2 === 0 ? 60 : 600));
    const killed = Date.now();
    process.kill(shim, 'SIGKILL');
    for (;;) {
      // Before the look, which takes its time.
      const passed = Date.now() - killed;
      if (agentPids(node.id).length === 0 && groupOf(shim).length === 0) break;
      expect(passed).toBeLessThan(2000);
      await wait(10);
    }
    const end = await feed.until((event) => isType('exit')(event) || isType('refused')(event));
    expect(bodyOf(end)).toMatchObject({ type: 'exit', reason: 'lost' });
    feed.close();
    const events = await api.events(node.id);
    expect(events.filter(isType('exit'))).toHaveLength(1);
    expect(events.at(-1)?.seq).toBe(end.seq);
    await api.call('DELETE', `/api/session/${session.id}`);
  }
});
