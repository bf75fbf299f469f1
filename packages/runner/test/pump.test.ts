import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Bench, shellOrder } from './setup.ts';

const MB = 2 ** 20;

/** 64 MB in lines of 64 kB. */
const FLOOD = `line=$(head -c 65530 /dev/zero | tr '\\0' x); n=0
while [ $n -lt 1000 ]; do echo "$line"; n=$((n + 1)); done; echo end`;

const stateOf = (pid: number): string =>
  /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';

describe('an agent that prints faster than its lines are stored', () => {
  it('waits, and goes on when they are: the spool stays bounded and nothing is lost', async () => {
    const bench = await Bench.open();
    const order = shellOrder(FLOOD);
    const thread = bench.worker.thread(order.thread);
    thread.holdAcks = true;
    bench.worker.order(order);
    await bench.worker.until('started', () => thread.observed.length === 2);
    const run = join(bench.home, 'agents', order.slug, 'run', '1');
    const pump = (): number => Number(readFileSync(join(run, 'pump'), 'utf8'));
    await vi.waitFor(() => expect(stateOf(pump())).toBe('T'), { timeout: 20_000 });
    expect(statSync(join(run, 'spool')).size).toBeLessThan(48 * MB);
    thread.holdAcks = false;
    thread.socket?.terminate();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.lines).toHaveLength(1001);
    expect(thread.texts.at(-1)).toBe('end');
    expect(thread.exit).toMatchObject({ code: 0, reason: 'exited' });
  });
});
