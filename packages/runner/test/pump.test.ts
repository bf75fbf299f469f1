import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readText } from '../src/files.ts';
import { statOf } from '../src/proc.ts';
import { AHEAD_BYTES, Credit } from '../src/spool/credit.ts';
import { Bench, runnerProcess, shellOrder, tempDir } from './setup.ts';

const MB = 2 ** 20;

/** 64 MB in lines of 64 kB. */
const FLOOD = `line=$(head -c 65530 /dev/zero | tr '\\0' x); n=0
while [ $n -lt 1000 ]; do echo "$line"; n=$((n + 1)); done; echo end`;

describe('an agent that prints faster than its lines are stored', () => {
  it('[RUN40] waits, and goes on when they are: the spool stays bounded and nothing is lost', async () => {
    const bench = await Bench.open();
    const order = shellOrder(FLOOD);
    const thread = bench.worker.thread(order.thread);
    thread.holdAcks = true;
    bench.worker.order(order);
    await bench.worker.until('started', () => thread.observed.length === 2);
    await pumpSays(bench.runFile(order, 'pump'), 'wait');
    expect(statSync(bench.runFile(order, 'spool')).size).toBeLessThan(48 * MB);
    thread.holdAcks = false;
    thread.socket?.terminate();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.lines).toHaveLength(1001);
    expect(thread.texts.at(-1)).toBe('end');
    expect(thread.exit).toMatchObject({ code: 0, reason: 'exited' });
  });

  it('[RUN40] waits also while no runner is there, and the next runner lets it go on', async () => {
    const bench = await Bench.open({ idle: true });
    const first = runnerProcess(bench);
    const order = shellOrder(`echo up; read line; ${FLOOD}`);
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('up', () => thread.texts.includes('up'));
    thread.holdAcks = true;
    bench.worker.input(order.thread, 'go');
    await bench.worker.until('written', () => thread.written.includes(1));
    await first.kill();
    await pumpSays(bench.runFile(order, 'pump'), 'wait');
    expect(statSync(bench.runFile(order, 'spool')).size).toBeLessThanOrEqual(2 * AHEAD_BYTES);
    thread.holdAcks = false;
    await bench.start();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.lines).toHaveLength(1002);
    expect(thread.exit).toMatchObject({ code: 0, reason: 'exited' });
  });

  it('[RUN40] ends with its shim while it waits', async () => {
    const bench = await Bench.open();
    const order = shellOrder(FLOOD);
    const thread = bench.worker.thread(order.thread);
    thread.holdAcks = true;
    bench.worker.order(order);
    await bench.worker.until('started', () => thread.observed.length === 2);
    await pumpSays(bench.runFile(order, 'pump'), 'wait');
    const { pid } = bench.shim(order);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => membersOf(pid)).toEqual([]);
  });
});

describe('a pump', () => {
  it('[RUN41] brings each line to the spool at once, however many come', async () => {
    const bench = await Bench.open();
    // Each line answers one input: a line that is held back would be waited for without end.
    const order = shellOrder('while read line; do echo "$line"; done');
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    for (let n = 1; n <= 150; n++) {
      bench.worker.input(order.thread, `line ${n}`);
      await bench.worker.until(`line ${n}`, () => thread.texts.at(-1) === `line ${n}`);
    }
    expect(thread.texts).toHaveLength(150);
  });

  it('[RUN41] keeps every byte, in writes of any size', async () => {
    const bench = await Bench.open();
    const order = shellOrder(`perl -e '$| = 1; srand(7); my $n = 0;
      while ($n < 9000000) { my $l = 1 + int(rand(rand() < 0.1 ? 200000 : 300)); print "x" x $l, "\\n"; $n += $l + 1 }
      print "$n\\n"'`);
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    const last = Number(thread.texts.at(-1));
    expect(last).toBeGreaterThan(9_000_000);
    expect(thread.offset).toBe(last + String(last).length + 1);
  });
});

describe('a credit', () => {
  it('[RUN40] is written over in its place, in steps, and never read as more than it is', () => {
    const path = join(tempDir(), 'credit');
    const credit = new Credit(path);
    const fd = openSync(path, 'r');
    const shown = (): number => Number(readFileSync(path, 'utf8'));
    expect(shown()).toBe(AHEAD_BYTES);
    const begin = Buffer.alloc(9);
    readSync(fd, begin, 0, 9, 0);
    credit.update(AHEAD_BYTES + 10);
    expect(shown()).toBe(AHEAD_BYTES);
    credit.update(99_999_999);
    expect(shown()).toBe(99_999_999);
    // Read one byte at a time, as a shell does, with a write in between.
    const rest = Buffer.alloc(8);
    readSync(fd, rest, 0, 8, 9);
    closeSync(fd);
    expect(Number(Buffer.concat([begin, rest]).toString())).toBeLessThanOrEqual(99_999_999);
    credit.extend(1000);
    expect(shown()).toBeGreaterThan(99_999_999);
    expect(shown()).toBeLessThan(99_999_999 + AHEAD_BYTES);
    credit.open();
    credit.update(200_000_000);
    expect(shown()).toBe(Number.MAX_SAFE_INTEGER);
    expect(statSync(path).size).toBe(17);
    const next = new Credit(path);
    next.update(null);
    expect(shown()).toBe(Number.MAX_SAFE_INTEGER);
  });
});

async function pumpSays(path: string, word: string): Promise<void> {
  await expect.poll(() => readText(path)?.trim(), { interval: 10 }).toBe(word);
}

/** Processes of a group that run. */
function membersOf(group: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    const stat = statOf(pid);
    return stat?.group === group && stat.state !== 'Z';
  });
}
