import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Stopper } from '../src/epoch/stopper.ts';
import { RunDir } from '../src/home.ts';
import { tempDir } from './setup.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** A stop without grace of an agent that does not end; `told` resolves when TERM has reached it. */
function stopping(told: Promise<void>) {
  const run = new RunDir(tempDir(), 1);
  mkdirSync(run.path, { recursive: true });
  const kill = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const executor = { state: () => ({ at: 'alive' as const }), terminate: () => told, kill };
  const stopper = new Stopper(executor, run, { killed: () => undefined, failed: () => undefined });
  stopper.arm(0);
  return { stopper, kill };
}

it('[RUN8] an agent has its time to end from when TERM has reached it', async () => {
  const told = Promise.withResolvers<void>();
  const { stopper, kill } = stopping(told.promise);
  await vi.advanceTimersByTimeAsync(1_500);
  told.resolve();
  await vi.advanceTimersByTimeAsync(1_900);
  expect(kill).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(kill).toHaveBeenCalledTimes(1);
  stopper.cancel();
});

it('[RUN8] a stop that is over kills nothing, however late TERM was', async () => {
  const told = Promise.withResolvers<void>();
  const { stopper, kill } = stopping(told.promise);
  await vi.advanceTimersByTimeAsync(100);
  stopper.cancel();
  told.resolve();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(kill).not.toHaveBeenCalled();
});
