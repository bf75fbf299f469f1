import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder, StopOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import type { ThreadRecord } from './fake-worker.ts';
import { Bench, processesOf, shellOrder } from './setup.ts';

const LIVELY = 'echo up; while :; do sleep 0.05; [ ! -e go ] || echo more; done';

type Running = { bench: Bench; order: StartOrder; thread: ThreadRecord; pid: number };

/** An agent that runs while its runner is away. */
async function abandoned(): Promise<Running> {
  const bench = await Bench.open();
  const order = shellOrder(LIVELY);
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('up', () => thread.texts.includes('up'));
  const { pid } = bench.shim(order);
  await bench.stop();
  expect(processesOf(bench.home)).toContain(pid);
  return { bench, order, thread, pid };
}

const stopOf = (order: StartOrder): StopOrder => ({
  kind: 'stop',
  thread: order.thread,
  epoch: order.epoch,
  graceMs: 0,
  inputs: [],
});

async function nextEpoch({ bench, order, thread }: Running): Promise<void> {
  await bench.logged(order, 'over');
  Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
  bench.worker.order({ ...order, epoch: 2, config: { command: ['sh', '-c', 'echo again'] } });
  await bench.worker.until('the next exit', () => thread.exit !== undefined);
  expect(thread.texts).toEqual(['again']);
  expect(thread.exit).toMatchObject({ epoch: 2, reason: 'exited', code: 0 });
}

async function gone(bench: Bench): Promise<void> {
  await expect.poll(() => processesOf(bench.home)).toEqual([]);
}

describe('[RUN6] an agent whose files were damaged under it', () => {
  const cases: [string, (running: Running) => void][] = [
    ['an empty order.json', ({ bench, order }) => damage(bench.runFile(order, 'order.json'), '')],
    ['no order.json', ({ bench, order }) => rmSync(bench.runFile(order, 'order.json'))],
    [
      'an order.json of another thread',
      ({ bench, order }) =>
        damage(bench.runFile(order, 'order.json'), JSON.stringify(shellOrder('true'))),
    ],
    [
      'an empty agent.json',
      ({ bench, order }) => damage(join(bench.agentDir(order), 'agent.json'), ''),
    ],
    ['no agent.json', ({ bench, order }) => rmSync(join(bench.agentDir(order), 'agent.json'))],
    ['an empty pid', ({ bench, order }) => damage(bench.runFile(order, 'pid'), '')],
    ['garbage in pid', ({ bench, order }) => damage(bench.runFile(order, 'pid'), 'x y z\n')],
    ['no pid', ({ bench, order }) => rmSync(bench.runFile(order, 'pid'))],
  ];

  for (const [name, spoil] of cases) {
    it(`is ended and lost, once, and can be started again: ${name}`, async () => {
      const running = await abandoned();
      const { bench, order, thread } = running;
      spoil(running);
      await bench.start();
      await bench.worker.until('exit', () => thread.exit !== undefined);
      await gone(bench);
      expect(thread.exit).toMatchObject({ epoch: 1, reason: 'lost', code: null });
      expect(thread.observed.map((body) => body.type)).toEqual(['workspace', 'started', 'exit']);
      await bench.logged(order, 'over');
      expect(existsSync(bench.runFile(order, 'spool'))).toBe(false);
      await nextEpoch(running);
      const agent: unknown = JSON.parse(
        readFileSync(join(bench.agentDir(order), 'agent.json'), 'utf8'),
      );
      expect(agent).toMatchObject({ thread: order.thread });
    });
  }

  it('is lost with all it said, where only its pid was damaged', async () => {
    const { bench, order, thread } = await abandoned();
    writeFileSync(join(bench.agentDir(order), 'workspace', 'go'), '');
    const spool = bench.runFile(order, 'spool');
    await expect.poll(() => readFileSync(spool, 'utf8')).toContain('more\n');
    damage(bench.runFile(order, 'pid'), 'x');
    await bench.start();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts.slice(0, 2)).toEqual(['up', 'more']);
    expect(thread.exit?.reason).toBe('lost');
  });

  it('is lost at once where its process is gone too', async () => {
    const { bench, order, thread, pid } = await abandoned();
    process.kill(-pid, 'SIGKILL');
    damage(bench.runFile(order, 'pid'), '');
    await bench.start();
    await bench.worker.until('exit', () => thread.exit !== undefined, 5_000);
    expect(thread.exit?.reason).toBe('lost');
  });

  it('ends though nothing says whose it is, is told at the stop, and has its home again', async () => {
    const running = await abandoned();
    const { bench, order, thread } = running;
    damage(bench.runFile(order, 'order.json'), '{');
    damage(join(bench.agentDir(order), 'agent.json'), '{');
    await bench.start();
    await gone(bench);
    expect(thread.exit).toBeUndefined();
    bench.worker.order(stopOf(order));
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit).toMatchObject({ epoch: 1, reason: 'lost' });
    await bench.worker.until('taken', () => bench.worker.orders[1]?.taken === 1);
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    bench.worker.order({ ...order, epoch: 2, config: { command: ['sh', '-c', 'echo again'] } });
    await bench.worker.until('the next exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['again']);
  });

  it.each(['order.json', 'pid'])('is ended before its home is archived: %s', async (name) => {
    const { bench, order, thread } = await abandoned();
    damage(bench.runFile(order, name), '');
    damage(join(bench.agentDir(order), 'agent.json'), '');
    thread.fenced = true;
    bench.worker.order({ kind: 'remove', thread: order.thread, slug: order.slug });
    await bench.start();
    await bench.worker.until('taken', () => bench.worker.orders[1]?.taken === 1);
    expect(processesOf(bench.home)).toEqual([]);
    expect(existsSync(bench.agentDir(order))).toBe(false);
    expect(readdirSync(join(bench.home, 'archive'))).toHaveLength(1);
  });

  it('gives its uid to nobody else', async () => {
    const { bench, order } = await abandoned();
    damage(bench.runFile(order, 'order.json'), '');
    damage(join(bench.agentDir(order), 'agent.json'), '');
    await bench.start();
    const other = shellOrder('true');
    bench.worker.order(other);
    await bench.worker.until('exit', () => bench.worker.thread(other.thread).exit !== undefined);
    await bench.stop();
    await bench.start();
    bench.worker.thread(order.thread).epoch = 2;
    bench.worker.order({ ...order, epoch: 2 });
    await bench.logged(order, 'attached');
    await bench.worker.until('taken', () => bench.worker.orders.at(-1)?.taken === 1);
    const files = [order, other].map((one) =>
      readFileSync(join(bench.agentDir(one), 'agent.json'), 'utf8'),
    );
    const uids = files.map((text) => /"uid":(\d+|null)/.exec(text)?.[1]);
    if (process.getuid?.() === 0) expect(new Set(uids).size).toBe(2);
    else expect(uids).toEqual(['null', 'null']);
  });
});

describe('[RUN8] a stop of an epoch', () => {
  it('that this runner knows nothing of is answered with its loss', async () => {
    const bench = await Bench.open();
    const order = shellOrder('true');
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(stopOf(order));
    await bench.worker.until('taken', () => bench.worker.orders[0]?.taken === 1);
    expect(thread.observed).toMatchObject([{ type: 'exit', epoch: 1, reason: 'lost' }]);
  });

  it('that has not come yet keeps it from starting, also after a restart', async () => {
    const bench = await Bench.open();
    const order = shellOrder('echo up');
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    await bench.logged(order, 'over');
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [] });
    const second = { ...order, epoch: 2 };
    bench.worker.order(stopOf(second));
    await bench.worker.until('refused', () => thread.refused !== undefined);
    expect(thread.refused).toBe('stopped before it started');
    await bench.stop();
    await bench.start();
    bench.worker.order(second);
    await bench.worker.until('taken', () => bench.worker.orders[2]?.taken === 1);
    expect(thread.lines).toEqual([]);
    expect(processesOf(bench.home)).toEqual([]);
  });
});

function damage(path: string, text: string): void {
  writeFileSync(path, text);
}
