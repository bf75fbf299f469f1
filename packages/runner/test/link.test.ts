import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bench, message, processesOf, runnerProcess, shellOrder } from './setup.ts';

const COUNT = 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo "line $i"; done';
const counted = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`);

describe('the link of an agent', () => {
  it('sends each line once when it is cut between storing and acknowledging', async () => {
    const bench = await Bench.open();
    const order = shellOrder(COUNT);
    const thread = bench.worker.thread(order.thread);
    thread.dropBeforeAck = 5;
    bench.worker.order(order);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(counted(2000));
    expect(thread.hellos).toBeGreaterThanOrEqual(6);
  });

  it('keeps at most four frames unacknowledged, each bounded, and goes on when acknowledged', async () => {
    const bench = await Bench.open();
    const order = shellOrder('read go; seq 1 300000');
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    await bench.worker.until('started', () => thread.observed.length === 2);
    thread.holdAcks = true;
    bench.worker.input(order.thread, 'go');
    await bench.worker.until('a full window', () => thread.frames.length === 4);
    await expect.poll(() => existsSync(bench.runFile(order, 'exit'))).toBe(true);
    expect(thread.frames).toHaveLength(4);
    thread.holdAcks = false;
    thread.socket?.terminate();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.lines).toHaveLength(300_000);
    expect(thread.texts.at(-1)).toBe('300000');
    expect(Math.max(...thread.frames.map((frame) => frame.lines))).toBe(256);
  });

  it('sends a line without waiting for another', async () => {
    const bench = await Bench.open();
    const order = shellOrder('while read line; do echo "got $line"; done');
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    await bench.worker.until('started', () => thread.observed.length === 2);
    for (let i = 1; i <= 10; i++) {
      bench.worker.input(order.thread, String(i));
      await bench.worker.until('answer', () => thread.lines.length === i);
    }
    expect(thread.written).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('[RUN3] delivers each input once across restarts of the runner and repeated frames', async () => {
    const bench = await Bench.open();
    const order = shellOrder('while read line; do echo "got $line"; done', {
      inputs: [{ id: 1, line: message('first') }],
    });
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    await bench.worker.until('first', () => thread.lines.length === 1);
    const expected = [`got ${message('first')}`];
    for (let i = 2; i <= 6; i++) {
      await bench.stop();
      bench.worker.input(order.thread, `input ${i}`);
      expected.push(`got input ${i}`);
      await bench.start();
      await bench.worker.until('answer', () => thread.lines.length === i);
      thread.socket?.terminate();
    }
    expect(thread.texts).toEqual(expected);
    expect(readFileSync(bench.runFile(order, 'stdin'), 'utf8').split('\n')).toHaveLength(7);
  });

  it('ends the process of an epoch that was fenced', async () => {
    const bench = await Bench.open();
    const order = shellOrder('echo up; read line');
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    await bench.worker.until('up', () => thread.lines.length === 1);
    const shim = bench.shim(order);
    thread.fenced = true;
    thread.socket?.terminate();
    await bench.logged(order, 'over');
    expect(shim.alive()).toBe(false);
    expect(thread.exit).toBeUndefined();
  });

  it('runs the next epoch in the same workspace, after the process of the last one', async () => {
    const bench = await Bench.open();
    const first = shellOrder('echo kept > file; echo up; read line');
    const thread = bench.worker.thread(first.thread);
    bench.worker.order(first);
    await bench.worker.until('up', () => thread.lines.length === 1);
    const shim = bench.shim(first);
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    const config = { command: ['sh', '-c', 'cat file'] };
    bench.worker.order({ ...first, epoch: 2, config });
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['kept']);
    expect(shim.alive()).toBe(false);
  });
});

describe('lines that can be no event', () => {
  it('[FAP5] come as what is left of them, with the reason, in order', async () => {
    const bench = await Bench.open();
    const script = `echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo
      printf 'bad \\377 byte\\n'; echo; echo '  '; printf 'half '; sleep 0.2; echo line
      head -c ${LIMITS.line} /dev/zero | tr '\\0' y; echo; printf '\\n\\nlast'`;
    const order = shellOrder(script);
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    const [first, long, bad, half, longest, last] = thread.lines;
    expect(first).toEqual([6, 'first']);
    expect(long).toEqual([
      6 + 50_000_001,
      'x'.repeat(LIMITS.rejectedHead),
      'line longer than 1 MiB',
      50_000_000,
    ]);
    expect(bad?.slice(1)).toEqual(['bad \ufffd byte', 'invalid UTF-8', 10]);
    expect(half?.[1]).toBe('half line');
    expect(longest?.[1]).toBe('y'.repeat(LIMITS.line));
    expect(last?.[1]).toBe('last');
    expect(thread.lines).toHaveLength(6);
  });

  it('are not waited for where only blank lines are left', async () => {
    const bench = await Bench.open();
    const order = shellOrder('echo one; printf "\\n  \\n\\n"');
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.lines).toEqual([[4, 'one']]);
  });
});

describe('an acknowledged spool', () => {
  it('gives its disk back while its offsets stay', async () => {
    const bench = await Bench.open();
    const order = shellOrder(
      'yes 0123456789012345678901234567890123456789 | head -c 60000000; read x',
    );
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    await bench.worker.until('all', () => thread.offset > 59_999_900);
    const spool = () => statSync(bench.runFile(order, 'spool'));
    await expect.poll(() => spool().size).toBe(60_000_000);
    await expect.poll(() => spool().blocks * 512).toBeLessThan(20 * 2 ** 20);
  });
});

describe('a runner that is killed', () => {
  it('[RUN2] leaves the agent running, and the log equals the spool after its restart', async () => {
    const bench = await Bench.open({ idle: true });
    const order = shellOrder(
      'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo "line $i"; [ $((i % 50)) = 0 ] && sleep 0.01; done; read end',
    );
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    for (let round = 1; round <= 4; round++) {
      const runner = runnerProcess(bench);
      await bench.worker.until('progress', () => thread.lines.length > round * 800);
      await runner.kill();
      expect(bench.shim(order).alive()).toBe(true);
    }
    await bench.start();
    await bench.worker.until('all', () => thread.lines.length >= 5000);
    const spool = readFileSync(bench.runFile(order, 'spool'), 'utf8');
    expect(`${thread.texts.join('\n')}\n`).toBe(spool);
    bench.worker.input(order.thread, 'end');
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(counted(5000));
    expect(thread.observed.filter((body) => body.type === 'started')).toHaveLength(1);
    expect(thread.exit).toMatchObject({ reason: 'exited', code: 0 });
  });

  it('at any moment of a start leaves one process, one start and one exit to tell of', async () => {
    const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const random = fc.sample(fc.integer({ min: 0, max: 80 }), { numRuns: 8, seed });
    const bench = await Bench.open({ idle: true });
    for (const [round, wait] of random.entries()) {
      const context = `seed ${seed}, round ${round}`;
      const order = shellOrder('echo ran >> log; cat log; read line; echo "$line"', {
        inputs: [{ id: 1, line: 'end' }],
      });
      const thread = bench.worker.thread(order.thread);
      const first = runnerProcess(bench);
      await bench.worker.until('hello', () => bench.worker.connected);
      bench.worker.order(order);
      await delay(wait);
      await first.kill();
      await bench.start();
      await bench.worker.until(context, () => thread.exit !== undefined);
      expect(thread.texts, context).toEqual(['ran', 'end']);
      expect(
        thread.observed.map((body) => body.type),
        context,
      ).toEqual(['workspace', 'started', 'exit']);
      await bench.stop();
    }
  });

  it('tells of an exit that happened while it was away', async () => {
    const bench = await Bench.open();
    const order = shellOrder('echo up; read line; echo "$line"; exit 5');
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    await bench.worker.until('up', () => thread.lines.length === 1);
    await bench.stop();
    appendFileSync(bench.runFile(order, 'stdin'), 'bye\n');
    await expect.poll(() => existsSync(bench.runFile(order, 'exit'))).toBe(true);
    await bench.start();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['up', 'bye']);
    expect(thread.exit).toMatchObject({ reason: 'exited', code: 5 });
  });
});

describe('a shim that is killed', () => {
  it('takes the agent with it, and the loss is told once', async () => {
    const bench = await Bench.open();
    const mark = `sleep 10${Math.floor(Math.random() * 1e9)}`;
    const order = shellOrder(`echo up; (setsid ${mark} &); ${mark}`);
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    await bench.worker.until('up', () => thread.lines.length === 1);
    process.kill(bench.shim(order).pid, 'SIGKILL');
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit).toMatchObject({ reason: 'lost', code: null });
    await bench.logged(order, 'over');
    expect(thread.observed.filter((body) => body.type === 'exit')).toHaveLength(1);
    const left = (): number[] => [
      ...processesOf(mark.replace(' ', '\0')),
      ...processesOf(bench.home),
    ];
    await expect.poll(left).toEqual([]);
  });
});
