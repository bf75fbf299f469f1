import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { keepSmall } from '../../engine/housekeeping.ts';
import { memoryOf } from '../../engine/process-identity.ts';
import { fixtureEngine, pidOf } from './engine-fixture.ts';

const MIB = 1024 * 1024;

/** Each look finds the next usage: MiB, and milliseconds of CPU since the look before. */
function kept(looks: readonly (readonly [memory: number, used: number] | null)[], after = 0) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let cpuMs = 0;
  let look = -1;
  let memory: number | null = null;
  const next = (): void => {
    look += 1;
    const found = looks[Math.min(look, looks.length - 1)] ?? null;
    memory = found === null ? null : found[0] * MIB;
    cpuMs = found === null ? 0 : cpuMs + found[1];
  };
  const collect = vi.fn(async () => {
    memory = after * MIB;
  });
  next();
  const housekeeping = keepSmall({
    usage: () => (memory === null ? null : { memory, cpuMs }),
    collect,
    everyMs: 1_000,
  });
  onTestFinished(() => housekeeping.stop());
  const pass = async (): Promise<void> => {
    for (let n = 1; n < looks.length; n += 1) {
      next();
      await vi.advanceTimersByTimeAsync(1_000);
    }
  };
  return { collect, pass, housekeeping };
}

describe('housekeeping of the engine', () => {
  it('collects when the engine is at rest and has grown, and not again while it stays as it is', async () => {
    const { collect, pass } = kept(
      [
        [100, 0],
        [300, 900],
        [300, 5],
        [250, 5],
        [250, 5],
      ],
      250,
    );
    await pass();
    expect(collect).toHaveBeenCalledTimes(1);
  });

  it('leaves an engine alone that works, or has not grown', async () => {
    const { collect, pass } = kept([
      [100, 0],
      [300, 900],
      [400, 30],
      [110, 5],
      [114, 5],
    ]);
    await pass();
    expect(collect).not.toHaveBeenCalled();
  });

  it('begins anew with an engine that was started again', async () => {
    const { collect, pass } = kept([[100, 0], [300, 900], null, [300, 0], [310, 5]]);
    await pass();
    expect(collect).not.toHaveBeenCalled();
  });

  it('is silent after it was stopped', async () => {
    const { collect, pass, housekeeping } = kept([
      [100, 0],
      [300, 900],
      [300, 5],
      [300, 5],
    ]);
    housekeeping.stop();
    await pass();
    expect(collect).not.toHaveBeenCalled();
  });

  it('has V8 give back what a burst of work has left behind', async () => {
    const engine = await fixtureEngine({ restMs: 200 });
    const memory = (): number => memoryOf(pidOf(engine)) / MIB;
    const before = memory();
    await (await fetch(`${engine.url}/hold`)).text();
    expect(memory()).toBeGreaterThan(before + 100);
    await (await fetch(`${engine.url}/let-go`)).text();
    while (memory() > before + 50) await delay(50);
  });
});
