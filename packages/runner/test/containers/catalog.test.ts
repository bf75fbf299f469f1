import { describe, expect, it } from 'vitest';
import { Bench, message, shellOrder } from '../setup.ts';
import { BASE_IMAGE, containerOrder, ended } from './setup.ts';

describe('an agent of the catalog in an image', () => {
  it("[CAT1] is spoken for by filepath's own program, which it cannot change", async () => {
    const bench = await Bench.open();
    const order = shellOrder('', {
      agentType: 'cursor',
      config: { image: BASE_IMAGE },
      inputs: [{ id: 1, line: message('hello') }],
    });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    const heard = (): boolean => thread.texts.some((text) => /cursor\.com/.test(text));
    await bench.worker.until('its word', heard, 60_000);
    expect(thread.observed).toContainEqual({ type: 'started', epoch: 1, executor: 'container' });
  });

  it('[CAT1] that brings its own program has nothing of filepath in it', async () => {
    const bench = await Bench.open();
    const order = containerOrder('ls -A /opt 2> /dev/null; echo end');
    expect((await ended(bench, order)).texts).toEqual(['end']);
  });
});
