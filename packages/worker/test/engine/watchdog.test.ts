import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { watch } from '../../engine/watchdog.ts';

function watchWith(answers: readonly boolean[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const onFrozen = vi.fn();
  const left = [...answers];
  const watchdog = watch({
    probe: async () => left.shift() ?? true,
    everyMs: 100,
    onFrozen,
  });
  return { onFrozen, watchdog };
}

describe('the watchdog', () => {
  it('leaves an engine alone that answers at least every other time', async () => {
    const { onFrozen, watchdog } = watchWith([true, false, true, false, true]);
    await vi.advanceTimersByTimeAsync(500);
    watchdog.stop();
    expect(onFrozen).not.toHaveBeenCalled();
  });

  it('calls an engine frozen when two probes in a row failed, and goes on watching', async () => {
    const { onFrozen, watchdog } = watchWith([true, false, false, true, false, false]);
    await vi.advanceTimersByTimeAsync(600);
    watchdog.stop();
    expect(onFrozen).toHaveBeenCalledTimes(2);
  });

  it('is silent after it was stopped', async () => {
    const { onFrozen, watchdog } = watchWith([false, false, false]);
    watchdog.stop();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(onFrozen).not.toHaveBeenCalled();
  });
});
