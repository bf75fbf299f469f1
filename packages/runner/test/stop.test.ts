import { existsSync, readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { StartOrder, StopOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { Bench, later, processesOf, runnerProcess, shellOrder } from './setup.ts';

const SIGNAL = '{"type":"signal","action":"stop"}';
const STUBBORN = 'trap "echo told" TERM; echo up; while :; do sleep 0.05; done';

const stopOf = (order: StartOrder, graceMs: number, id = 1): StopOrder => ({
  kind: 'stop',
  thread: order.thread,
  epoch: order.epoch,
  graceMs,
  inputs: [{ id, line: SIGNAL }],
});

async function running(script: string): Promise<{ bench: Bench; order: StartOrder }> {
  const bench = await Bench.open();
  const order = shellOrder(script);
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('up', () => thread.texts.includes('up'));
  return { bench, order };
}

describe('a stop', () => {
  it('lets an agent that obeys the signal end by itself', async () => {
    const { bench, order } = await running('echo up; read line; echo "$line"; exit 0');
    bench.worker.order(stopOf(order, 20_000));
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['up', SIGNAL]);
    expect(thread.exit).toMatchObject({ reason: 'stopped', code: 0 });
  });

  it('[HND1] for a handoff is told as one by the exit, also after a restart of the runner', async () => {
    const { bench, order } = await running(
      'trap "exit 0" TERM; echo up; while :; do sleep 0.05; done',
    );
    bench.worker.order({ ...stopOf(order, 1_000), handoff: true });
    await bench.stop();
    await bench.start();
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit).toMatchObject({ reason: 'handoff', code: 0 });
  });

  it('asks with TERM after the grace, and the agent may finish', async () => {
    const { bench, order } = await running(
      'trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.05; done',
    );
    bench.worker.order(stopOf(order, 50));
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['up', 'bye']);
    expect(thread.exit).toMatchObject({ reason: 'stopped', code: 3 });
  });

  it('kills a stubborn agent with everything it started, and says so once', async () => {
    const { bench, order } = await running(`setsid sh -c '${STUBBORN}' & ${STUBBORN}`);
    const stop = bench.worker.order(stopOf(order, 50));
    bench.worker.sendOrder(stop);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toContain('told');
    expect(thread.exit).toMatchObject({ reason: 'stopped', signal: 'SIGKILL' });
    await bench.logged(order, 'over');
    await expect.poll(() => processesOf(bench.home)).toEqual([]);
    expect(processesOf(STUBBORN)).toEqual([]);
  });

  it('goes on after the runner was killed in between', async () => {
    const bench = await Bench.open({ idle: true });
    const first = runnerProcess(bench);
    const order = shellOrder(STUBBORN);
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('up', () => thread.texts.includes('up'));
    bench.worker.order(stopOf(order, 300));
    await bench.worker.until('taken', () => bench.worker.orders[1]?.taken === 1);
    await first.kill();
    expect(bench.shim(order).alive()).toBe(true);
    await bench.start();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit?.reason).toBe('stopped');
  });

  it('that comes before the process keeps it from ever starting', async () => {
    const bench = await Bench.open();
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    later(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    const order = shellOrder('echo up', { gitRepoUrl: `git://127.0.0.1:${port}/none` });
    const asked = new Promise((resolve) => silent.once('connection', resolve));
    bench.worker.order(order);
    await asked;
    bench.worker.order(stopOf(order, 0));
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('refused', () => thread.refused !== undefined);
    expect(thread.refused).toBe('stopped before it started');
    await bench.logged(order, 'over');
    expect(thread.observed.some((body) => body.type === 'started')).toBe(false);
    expect(processesOf(bench.home)).toEqual([]);
  });
});

describe('a removal', () => {
  it('[RUN9] ends the agent at once and puts its home aside without its secrets', async () => {
    const { bench, order } = await running(STUBBORN);
    const shim = bench.shim(order);
    const remove = { kind: 'remove' as const, thread: order.thread, slug: order.slug };
    const number = bench.worker.order(remove);
    await bench.worker.until('taken', () => bench.worker.orders[1]?.taken === 1);
    expect(shim.alive()).toBe(false);
    expect(existsSync(bench.agentDir(order))).toBe(false);
    const [archived = ''] = readdirSync(join(bench.home, 'archive'));
    expect(archived).toMatch(new RegExp(`^${order.slug}-\\d{8}T\\d+Z$`));
    expect(existsSync(join(bench.home, 'archive', archived, 'workspace'))).toBe(true);
    expect(existsSync(join(bench.home, 'archive', archived, 'run/1/order.json'))).toBe(false);
    bench.worker.sendOrder(number);
    await bench.worker.until('taken again', () => bench.worker.orders[1]?.taken === 2);
  });
});
