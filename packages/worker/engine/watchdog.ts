export type Watchdog = { stop(): void };

type WatchdogOptions = {
  /** Resolves to false when workerd took a request and did not answer in time. */
  readonly probe: () => Promise<boolean>;
  readonly everyMs: number;
  /** Called when two probes in a row failed. */
  readonly onFrozen: () => void;
};

/** Finds a workerd that lives but no longer answers, as after an endless loop in the worker. */
export function watch({ probe, everyMs, onFrozen }: WatchdogOptions): Watchdog {
  let failed = 0;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  const turn = async (): Promise<void> => {
    failed = (await probe()) ? 0 : failed + 1;
    if (stopped) return;
    if (failed === 2) {
      failed = 0;
      onFrozen();
    }
    schedule();
  };

  const schedule = (): void => {
    timer = setTimeout(() => void turn(), everyMs);
    timer.unref();
  };

  schedule();
  return {
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
