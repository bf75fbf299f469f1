import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { newThreadId, type StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { Pauser } from '../src/epoch/pauser.ts';
import { initOf } from '../src/executor/process-files.ts';
import { readText } from '../src/files.ts';
import { RunDir } from '../src/home.ts';
import { groupsOf } from '../src/limits/agent-limits.ts';
import { CGROUP_ROOT } from '../src/limits/hierarchies.ts';
import type { RunnerOptions } from '../src/index.ts';
import { childrenOf, statOf } from '../src/proc.ts';
import { Bench, message, shellOrder, tempDir } from './setup.ts';

const STOP = JSON.stringify({ type: 'signal', action: 'stop' });

/** Says what it hears, and ends when it hears of a stop. */
const LISTENER = `while read -r line; do
  case $line in *stop*) echo bye; exit 0;; *) echo "heard";; esac
done`;

/** Resolves when the kernel says that the agent is held still, or is not. */
async function held(bench: Bench, order: StartOrder, still: boolean): Promise<void> {
  const run = new RunDir(bench.agentDir(order), order.epoch);
  await expect.poll(() => isHeld(run), { interval: 10 }).toBe(still);
}

function isHeld(run: RunDir): boolean {
  for (const group of groupsOf(run)) {
    const events = readText(join(group, 'cgroup.events'));
    if (events !== null) return /^frozen 1$/m.test(events);
    const state = readText(join(group, 'freezer.state'));
    if (state !== null) return state.trim() === 'FROZEN';
  }
  const command = childrenOf(initOf(run) ?? 0)[0] ?? 0;
  return statOf(command)?.state === 'T';
}

async function freeze(
  bench: Bench,
  order: StartOrder,
  frozen: boolean,
  seq: number,
): Promise<void> {
  const { thread, epoch } = order;
  const number = bench.worker.order({ kind: 'freeze', thread, epoch, seq, frozen });
  await bench.worker.until('taken', () => bench.worker.orders[number - 1]?.taken === 1);
}

/** An agent that has answered once. */
async function listening(options: Partial<RunnerOptions>): Promise<[Bench, StartOrder]> {
  const bench = await Bench.open(options);
  const order = shellOrder(LISTENER, { inputs: [{ id: 1, line: message('first') }] });
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('an answer', () => thread.texts.length === 1);
  return [bench, order];
}

/** The hierarchies of this machine without the unified one. */
function versionOne(): string {
  const root = tempDir();
  for (const name of ['memory', 'pids', 'cpu', 'freezer']) {
    symlinkSync(join(CGROUP_ROOT, name), join(root, name));
  }
  return root;
}

const WAYS: [string, () => Partial<RunnerOptions>][] = [
  ['a control group', () => ({})],
  ['a freezer of version 1, where there is one', () => ({ cgroupRoot: versionOne() })],
  ['signals', () => ({ cgroupRoot: tempDir() })],
];

describe.each(WAYS)('a pause by %s', (_way, options) => {
  it('[RUN19] holds the agent still until it is resumed; then it hears what came meanwhile', async () => {
    const [bench, order] = await listening(options());
    const thread = bench.worker.thread(order.thread);
    await freeze(bench, order, true, 5);
    await held(bench, order, true);
    bench.worker.input(order.thread, message('second'));
    await bench.worker.until('written', () => thread.written.includes(2));
    expect(thread.texts).toEqual(['heard']);
    await freeze(bench, order, false, 6);
    await bench.worker.until('an answer', () => thread.texts.length === 2);
  });

  it('[RUN19] is over when the agent is stopped: it can still end by itself', async () => {
    const [bench, order] = await listening(options());
    const thread = bench.worker.thread(order.thread);
    await freeze(bench, order, true, 5);
    await held(bench, order, true);
    const inputs = [{ id: 2, line: STOP }];
    const { thread: id, epoch } = order;
    bench.worker.order({ kind: 'stop', thread: id, epoch, graceMs: 20_000, inputs });
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['heard', 'bye']);
    expect(thread.exit).toMatchObject({ reason: 'stopped', code: 0 });
  });

  it('[RUN19] does not keep a deleted agent alive', async () => {
    const [bench, order] = await listening(options());
    await freeze(bench, order, true, 5);
    await held(bench, order, true);
    const shim = bench.shim(order);
    bench.worker.order({ kind: 'remove', thread: order.thread, slug: order.slug });
    await bench.logged(order, 'removed');
    expect(shim.alive()).toBe(false);
  });

  it('[RUN19] outlives the runner', async () => {
    const more = options();
    const [bench, order] = await listening(more);
    const thread = bench.worker.thread(order.thread);
    await freeze(bench, order, true, 5);
    await bench.stop();
    await held(bench, order, true);
    await bench.start(more);
    await freeze(bench, order, false, 6);
    bench.worker.input(order.thread, message('second'));
    await bench.worker.until('an answer', () => thread.texts.length === 2);
  });
});

describe('a pause', () => {
  it('[RUN19] that a later order has overtaken does not come back', async () => {
    const [bench, order] = await listening({});
    const thread = bench.worker.thread(order.thread);
    await freeze(bench, order, false, 6);
    await freeze(bench, order, true, 5);
    bench.worker.input(order.thread, message('second'));
    await bench.worker.until('an answer', () => thread.texts.length === 2);
    expect(JSON.parse(readFileSync(bench.runFile(order, 'pause.json'), 'utf8'))).toEqual({
      seq: 6,
      frozen: false,
    });
  });

  it('[RUN19] that came before the process holds it once it is there', async () => {
    const bench = await Bench.open({ idle: true });
    const order = shellOrder(LISTENER, { inputs: [{ id: 1, line: message('first') }] });
    const thread = bench.worker.thread(order.thread);
    const { thread: id, epoch } = order;
    bench.worker.order(order);
    bench.worker.order({ kind: 'freeze', thread: id, epoch, seq: 5, frozen: true });
    await bench.start();
    await held(bench, order, true);
    await freeze(bench, order, false, 6);
    await bench.worker.until('an answer', () => thread.texts.length === 1);
  });

  it('[RUN19] that comes while the agent is let go to end does not hold it', async () => {
    const run = new RunDir(tempDir(), 1);
    mkdirSync(run.path, { recursive: true });
    const held: boolean[] = [];
    const freeze = async (_run: RunDir, frozen: boolean): Promise<void> => void held.push(frozen);
    const pauser = new Pauser({ freeze, stillness: () => 'still' }, run);
    const taken = pauser.take({
      kind: 'freeze',
      thread: newThreadId(),
      epoch: 1,
      seq: 1,
      frozen: true,
    });
    await pauser.release();
    await taken;
    expect(held).toEqual([false]);
    expect(existsSync(run.pause)).toBe(false);
  });
});
