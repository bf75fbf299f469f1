export type Silence = { readonly ms: number; readonly last: boolean };

/** How often a silence is told, and after how many times the program counts as hung. */
export type Patience = { readonly everyMs: number; readonly times: number };

/** Often enough for the runner, which ends an agent that says nothing at all. */
const THINKING: Patience = { everyMs: 5 * 60_000, times: 2 };
/** A tool may be silent for an hour. */
const IN_TOOL: Patience = { everyMs: 10 * 60_000, times: 6 };

/** Tells of a program that says nothing while it works. */
export class Watchdog {
  #tell: (silence: Silence) => void;
  #patience: () => Patience;
  #timer: NodeJS.Timeout | undefined;
  #working = false;

  constructor(tell: (silence: Silence) => void, patience: () => Patience) {
    this.#tell = tell;
    this.#patience = patience;
  }

  begin(): void {
    this.#working = true;
    this.heard();
  }

  end(): void {
    this.#working = false;
    clearTimeout(this.#timer);
  }

  heard(): void {
    if (this.#working) this.#wait(1);
  }

  #wait(time: number): void {
    clearTimeout(this.#timer);
    const { everyMs, times } = this.#patience();
    this.#timer = setTimeout(() => {
      const last = time >= times;
      if (!last) this.#wait(time + 1);
      this.#tell({ ms: everyMs * time, last });
    }, everyMs);
  }
}

/** FILEPATH_SILENT_SECONDS is the whole time, with and without a tool. */
export function patienceOf(env: NodeJS.ProcessEnv, inTool: boolean): Patience {
  const seconds = Number(env['FILEPATH_SILENT_SECONDS']);
  if (Number.isFinite(seconds) && seconds > 0) return { everyMs: seconds * 500, times: 2 };
  return inTool ? IN_TOOL : THINKING;
}

/** `10 minutes`, `90 seconds`. */
export function showSilence({ ms }: Silence): string {
  return ms >= 120_000 ? `${Math.round(ms / 60_000)} minutes` : `${Math.round(ms / 1000)} seconds`;
}
