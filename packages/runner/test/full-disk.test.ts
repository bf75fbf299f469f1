import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunnerBody, StartOrder, StopOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { ObservedFile } from '../src/epoch/observed-file.ts';
import { StdinFile } from '../src/epoch/stdin-file.ts';
import { createExclusive, readText } from '../src/files.ts';
import type { ThreadRecord } from './fake-worker.ts';
import { Bench, message, processesOf, shellOrder } from './setup.ts';
import { type SmallDisk, smallDisk } from './small-disk.ts';

/** Nothing is kept free: the disk runs full. */
const FULL = { ...process.env, FILEPATH_DISK_RESERVE: '0' };

/** 40 MB in numbered lines, after an input. */
const COUNT = 40_000;
const FLOOD = `echo up; read first; read second; perl -e '$| = 1; for (1 .. ${COUNT}) { print $_, " ", "x" x 1000, "\\n" }'; echo end`;

const types = (thread: ThreadRecord): string[] => thread.observed.map(({ type }) => type);
const numbers = (thread: ThreadRecord): number[] =>
  thread.texts.filter((text) => /^\d/.test(text)).map((text) => Number.parseInt(text, 10));
const held = (thread: ThreadRecord): RunnerBody | undefined =>
  thread.observed.findLast(({ type }) => type === 'held');

async function up(disk: SmallDisk, script: string): Promise<[Bench, StartOrder, ThreadRecord]> {
  const bench = await Bench.open({ home: disk.path, env: FULL });
  // A block of the file is in use: a short input finds room in it.
  const order = shellOrder(script, { inputs: [{ id: 1, line: message('first') }] });
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('up', () => thread.texts.includes('up'));
  return [bench, order, thread];
}

const stopOf = (order: StartOrder): StopOrder => ({
  kind: 'stop',
  thread: order.thread,
  epoch: order.epoch,
  graceMs: 0,
  inputs: [{ id: 2, line: '{"type":"signal","action":"stop"}' }],
});

describe('on a full disk', () => {
  it('[RUN42] F13: an agent is held with the reason, loses nothing, and goes on when there is room', async () => {
    const disk = smallDisk(96);
    const [bench, order, thread] = await up(disk, FLOOD);
    disk.fill();
    bench.worker.input(order.thread, message('go'));
    await bench.logged(order, 'held');
    const { length } = numbers(thread);
    expect(length).toBeLessThan(COUNT);
    disk.empty();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(numbers(thread)).toEqual(Array.from({ length: COUNT }, (_, i) => i + 1));
    expect(thread.texts.at(-1)).toBe('end');
    expect(thread.exit).toMatchObject({ code: 0, reason: 'exited' });
    expect(held(thread)).toMatchObject({ reason: "the runner's disk is full" });
    expect(types(thread).filter((type) => type === 'held' || type === 'released')).toEqual([
      'held',
      'released',
    ]);
  });

  it('[RUN42] a start waits for room and happens once', async () => {
    const disk = smallDisk(32);
    const bench = await Bench.open({ home: disk.path, env: FULL });
    await bench.worker.until('hello', () => bench.worker.connected);
    disk.fill();
    const order = shellOrder('echo up; read line; echo "$line"', {
      inputs: [{ id: 1, line: message('x'.repeat(20_000)) }],
    });
    const number = bench.worker.order(order);
    await bench.logged(order, 'order-failed');
    expect(bench.worker.orders[number - 1]?.taken).toBe(0);
    disk.empty();
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['up', message('x'.repeat(20_000))]);
    expect(types(thread).filter((type) => type === 'started')).toHaveLength(1);
  });

  it('[RUN42] an input is written when there is room, once and whole', async () => {
    const disk = smallDisk(32);
    const [bench, order, thread] = await up(
      disk,
      'echo up; while read -r line; do echo "$line"; done',
    );
    disk.fill();
    const long = message('y'.repeat(9_000));
    bench.worker.input(order.thread, long);
    bench.worker.input(order.thread, message('second'));
    await expect.poll(() => readText(bench.runFile(order, 'stdin'))).toMatch(/y$/);
    await bench.logged(order, 'held');
    expect(thread.written).toEqual([]);
    disk.empty();
    await bench.worker.until('all', () => thread.texts.length === 4);
    expect(thread.texts).toEqual(['up', message('first'), long, message('second')]);
    expect(thread.written.at(-1)).toBe(3);
    expect(thread.hellos).toBe(1);
  });

  it('[RUN42] a stop happens at once, and is told when there is room', async () => {
    const disk = smallDisk(32);
    const [bench, order, thread] = await up(disk, 'echo up; while :; do sleep 1; done');
    disk.fill();
    const number = bench.worker.order(stopOf(order));
    await expect.poll(() => processesOf(bench.home)).toEqual([]);
    disk.empty();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit).toMatchObject({ reason: 'stopped' });
    await bench.worker.until('taken', () => bench.worker.orders[number - 1]?.taken === 1);
    await bench.logged(order, 'over');
    expect(existsSync(bench.runFile(order, 'order.json'))).toBe(false);
  });
});

describe('a file on a full disk', () => {
  it('[RUN42] an input that was cut short is completed, not doubled', () => {
    const disk = smallDisk(4);
    const path = join(disk.path, 'stdin');
    const stdin = new StdinFile(path);
    stdin.append([{ id: 1, line: 'first' }]);
    disk.fill();
    const line = 'z'.repeat(10_000);
    expect(() => stdin.append([{ id: 2, line }])).toThrow('ENOSPC');
    expect(readFileSync(path, 'utf8')).toMatch(/^first\nz+$/);
    disk.empty();
    stdin.append([{ id: 2, line }]);
    expect(readFileSync(path, 'utf8')).toBe(`first\n${line}\n`);
  });

  it('[RUN42] observations wait, in order; the last one is refused until it can be kept', async () => {
    const disk = smallDisk(4);
    const path = join(disk.path, 'observed');
    const observed = new ObservedFile(path);
    const epoch = 1;
    const long: RunnerBody = { type: 'held', epoch, reason: 'r'.repeat(2000) };
    disk.fill();
    for (let i = 0; i < 4; i++) await observed.append(long);
    await observed.append({ type: 'released', epoch });
    expect(observed.has('released')).toBe(true);
    const before = observed.count;
    expect(before).toBeLessThan(4);
    const last: RunnerBody = { type: 'exit', epoch, code: 0, signal: null, reason: 'exited' };
    await expect(observed.append(last)).rejects.toThrow('ENOSPC');
    expect(observed.terminal).toBeNull();
    disk.empty();
    await observed.append(last);
    const told = readFileSync(path, 'utf8').trim().split('\n');
    expect(told.map((line) => (JSON.parse(line) as RunnerBody).type)).toEqual([
      ...Array.from({ length: 4 }, () => 'held'),
      'released',
      'exit',
    ]);
    observed.close();
  });

  it('[RUN42] a claim is whole or not there', () => {
    const disk = smallDisk(4);
    disk.fill();
    const path = join(disk.path, 'pid');
    expect(() => createExclusive(path, 'x'.repeat(100_000))).toThrow('ENOSPC');
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, '');
    expect(createExclusive(path, 'x')).toBe(false);
  });
});
