import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { type Signs, Silence } from '../src/epoch/silence.ts';
import { silenceSetting } from '../src/limits/silence-setting.ts';
import type { ThreadRecord } from './fake-worker.ts';
import { Bench, shellOrder, tempDir } from './setup.ts';

const SHORT = { ...process.env, FILEPATH_AGENT_SILENCE: '1s' };
/** Stops itself and all it has started: what SIGSTOP from outside would do. */
const STOPS = 'echo up; kill -STOP $$; echo never';
const SIBLING = 'echo up; while read line; do echo "heard $line"; done';
const BURNS = 'echo up; while :; do :; done';

const silences = (thread: ThreadRecord): number[] =>
  thread.observed.flatMap((body) => (body.type === 'silent' ? [body.seconds] : []));

async function up(bench: Bench, script: string): Promise<[StartOrder, ThreadRecord]> {
  const order = shellOrder(script);
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('up', () => thread.texts.includes('up'));
  return [order, thread];
}

describe('an agent that neither says nor does anything', () => {
  it('[RUN45] [RUN46] F15: is told twice, ends as stalled when the worker says so, and a sibling goes on', async () => {
    const bench = await Bench.open({ env: SHORT });
    const [sibling, heard] = await up(bench, SIBLING);
    const [order, thread] = await up(bench, STOPS);
    await bench.worker.until('told twice', () => silences(thread).length === 2);
    expect(silences(thread)).toEqual([1, 2]);
    bench.worker.order({
      kind: 'stop',
      thread: order.thread,
      epoch: 1,
      graceMs: 0,
      inputs: [],
      limit: 'stalled: nothing heard for 2 seconds',
    });
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit).toMatchObject({
      reason: 'limit',
      detail: 'stalled: nothing heard for 2 seconds',
    });
    expect(thread.texts).toEqual(['up']);
    bench.worker.input(sibling.thread, 'one');
    await bench.worker.until('an answer', () => heard.texts.includes('heard one'));
  });

  it.each([
    ['control groups', () => ({})],
    ['the processes themselves', () => ({ cgroupRoot: tempDir() })],
  ])('[RUN45] is not one that burns CPU time, by %s, nor one that is paused', async (_by, more) => {
    const bench = await Bench.open({ env: SHORT, ...more() });
    const [, burning] = await up(bench, BURNS);
    const [paused, still] = await up(bench, BURNS);
    const freeze = {
      kind: 'freeze' as const,
      thread: paused.thread,
      epoch: 1,
      seq: 5,
      frozen: true,
    };
    const number = bench.worker.order(freeze);
    await bench.worker.until('paused', () => bench.worker.orders[number - 1]?.taken === 1);
    const [, silent] = await up(bench, STOPS);
    await bench.worker.until('told twice', () => silences(silent).length === 2);
    expect([silences(burning), silences(still)]).toEqual([[], []]);
  });

  it('[RUN45] is told anew after it was heard', async () => {
    // Long enough to be spoken to before it is told a second time.
    const bench = await Bench.open({ env: { ...process.env, FILEPATH_AGENT_SILENCE: '4s' } });
    const [order, thread] = await up(bench, SIBLING);
    await bench.worker.until('told', () => silences(thread).length === 1);
    bench.worker.input(order.thread, 'one');
    await bench.worker.until('told anew', () => silences(thread).length === 2);
    expect(silences(thread)).toEqual([4, 4]);
  });
});

describe('silence', () => {
  const QUIET: Signs = { printed: 5, inputs: 1, cpuMs: 100, still: false };

  /** What is told each second, for 100 seconds with a period of 10. */
  function told(signs: (second: number) => Partial<Signs>): [number, number][] {
    let second = 0;
    const silence = new Silence(
      10_000,
      () => ({ ...QUIET, ...signs(second) }),
      () => second * 1000,
    );
    const out: [number, number][] = [];
    for (; second <= 100; second++) {
      const seconds = silence.look();
      if (seconds !== null) out.push([second, seconds]);
    }
    return out;
  }

  it('[RUN45] is told after one period and after two, and no more', () => {
    expect(told(() => ({}))).toEqual([
      [10, 10],
      [20, 20],
    ]);
  });

  it('[RUN45] begins again with anything that is printed or given, and when it is held no more', () => {
    const twice = [
      [40, 10],
      [50, 20],
    ];
    expect(told((at) => ({ printed: Math.min(at, 30) }))).toEqual(twice);
    expect(told((at) => ({ inputs: Math.min(at, 30) }))).toEqual(twice);
    expect(told((at) => ({ still: at <= 30 }))).toEqual(twice);
    expect(told((at) => ({ cpuMs: Math.min(at, 30) * 20 }))).toEqual(twice);
  });

  it('[RUN45] is not broken by the timers of an idle program, and never told where nobody can tell', () => {
    expect(told((at) => ({ cpuMs: at * 5 }))).toHaveLength(2);
    expect(told(() => ({ cpuMs: null }))).toEqual([]);
    const off = new Silence(silenceSetting({ FILEPATH_AGENT_SILENCE: 'off' }), () => QUIET);
    expect(off.look()).toBeNull();
  });

  it('[RUN45] has a period that can be set', () => {
    const of = (value: string): number => silenceSetting({ FILEPATH_AGENT_SILENCE: value });
    expect([of(''), of('90s'), of('2h'), of('off')]).toEqual([
      900_000,
      90_000,
      7_200_000,
      Number.POSITIVE_INFINITY,
    ]);
    for (const value of ['0s', '15', 'never', '-1m', '1d']) {
      expect(() => of(value)).toThrow('FILEPATH_AGENT_SILENCE is');
    }
  });
});
