import type { Usage } from './process-identity.ts';

export type Housekeeping = { stop(): void };

type HousekeepingOptions = {
  /** Of the running workerd; null while there is none, or where the system does not say. */
  readonly usage: () => Usage | null;
  /** Has V8 collect what nobody holds. */
  readonly collect: () => Promise<void>;
  readonly everyMs: number;
};

/** Less of a CPU than this, and the engine is at rest. */
const REST = 0.02;
/** What it has grown by since it was last collected, or since its first look. */
const GROWN = 16 * 1024 * 1024;

/**
 * V8 collects when it needs room. An engine that has done much and is at rest needs none: it would keep what was alive
 * at its busiest moment for as long as it runs. So it is told to.
 */
export function keepSmall({ usage, collect, everyMs }: HousekeepingOptions): Housekeeping {
  let before: Usage | null = null;
  let floor = Infinity;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  const turn = async (): Promise<void> => {
    const now = usage();
    const used = now === null || before === null ? null : now.cpuMs - before.cpuMs;
    if (now === null || used === null || used < 0) floor = now?.memory ?? Infinity;
    else if (used < REST * everyMs && now.memory > floor + GROWN) {
      await collect();
      floor = usage()?.memory ?? Infinity;
    }
    before = usage();
    if (!stopped) schedule();
  };

  const schedule = (): void => {
    timer = setTimeout(() => void turn(), everyMs).unref();
  };

  void turn();
  return {
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
