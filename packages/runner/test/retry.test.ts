import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it, vi } from 'vitest';
import { Retries } from '../src/retries.ts';
import { Bench, processesOf, shellOrder } from './setup.ts';

/** A start that fails for as long as a file stands where its home must be. */
async function failing(): Promise<{ bench: Bench; order: StartOrder }> {
  const bench = await Bench.open();
  const order = shellOrder('echo up');
  writeFileSync(bench.agentDir(order), 'in the way');
  bench.worker.order(order);
  await bench.logged(order, 'order-failed');
  return { bench, order };
}

describe('[LINK3] a start that fails in the runner', () => {
  it('is carried out when it can be, on the same connection', async () => {
    const { bench, order } = await failing();
    rmSync(bench.agentDir(order));
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['up']);
    await bench.worker.until('taken', () => bench.worker.orders[0]?.taken === 1);
    expect(bench.logs.filter(({ event }) => event === 'link-up')).toHaveLength(1);
  });

  it('is called off by a stop, and stays so when it comes again', async () => {
    const { bench, order } = await failing();
    const { thread: id, epoch } = order;
    bench.worker.order({ kind: 'stop', thread: id, epoch, graceMs: 0, inputs: [] });
    const [start, stop] = bench.worker.orders;
    await bench.worker.until('both taken', () => start?.taken === 1 && stop?.taken === 1);
    const thread = bench.worker.thread(id);
    expect(thread.observed).toEqual([
      { type: 'refused', epoch: 1, reason: 'stopped before it started' },
    ]);
    rmSync(bench.agentDir(order));
    bench.worker.sendOrder(1);
    await bench.worker.until('taken again', () => start?.taken === 2);
    expect(existsSync(bench.agentDir(order))).toBe(false);
    expect(processesOf(bench.home)).toEqual([]);
  });

  it('is called off by a stop where its home is there already', async () => {
    const bench = await Bench.open();
    const first = shellOrder('true');
    const thread = bench.worker.thread(first.thread);
    bench.worker.order(first);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    await bench.logged(first, 'over');
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [] });
    const order = { ...first, epoch: 2 };
    const run = join(bench.agentDir(order), 'run/2');
    writeFileSync(run, 'in the way');
    bench.worker.order(order);
    await bench.logged(order, 'order-failed');
    const { thread: id, epoch } = order;
    bench.worker.order({ kind: 'stop', thread: id, epoch, graceMs: 0, inputs: [] });
    await bench.worker.until('the start is dropped', () => bench.worker.orders[1]?.taken === 1);
    expect(bench.worker.orders[2]?.taken).toBe(0);
    rmSync(run);
    await bench.worker.until('refused', () => thread.refused !== undefined);
    await bench.worker.until('the stop is taken', () => bench.worker.orders[2]?.taken === 1);
    expect(thread.observed).toEqual([
      { type: 'refused', epoch: 2, reason: 'stopped before it started' },
    ]);
  });

  it('is called off by a removal', async () => {
    const { bench, order } = await failing();
    bench.worker.order({ kind: 'remove', thread: order.thread, slug: order.slug });
    const [start, remove] = bench.worker.orders;
    await bench.worker.until('both taken', () => start?.taken === 1 && remove?.taken === 1);
    expect(bench.worker.thread(order.thread).observed).toEqual([]);
  });

  it('is not tried again when the runner has stopped', async () => {
    const { bench, order } = await failing();
    await bench.stop();
    rmSync(bench.agentDir(order));
    const before = bench.logs.length;
    expect(bench.worker.orders[0]?.taken).toBe(0);
    await bench.start();
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(bench.logs.slice(before).some(({ event }) => event === 'order-failed')).toBe(false);
  });
});

describe('what failed', () => {
  it('is tried again after 1 s, ever later, never later than 30 s, until it is closed', async () => {
    vi.useFakeTimers();
    try {
      const retries = new Retries();
      const times: number[] = [];
      const began = Date.now();
      const task = (): Promise<void> => {
        times.push((Date.now() - began) / 1000);
        return Promise.reject(new Error('no'));
      };
      retries.run('a', task, () => undefined);
      await vi.advanceTimersByTimeAsync(100_000);
      expect(times).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
      retries.close();
      await vi.advanceTimersByTimeAsync(100_000);
      expect(times).toHaveLength(8);
    } finally {
      vi.useRealTimers();
    }
  });
});
