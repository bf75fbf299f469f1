/** Without a word for this long a program counts as hung; a tool that runs may be silent longer. */
const SILENT_MS = 10 * 60_000;
const SILENT_IN_TOOL_MS = 60 * 60_000;

export type Silence = { readonly ms: number; readonly last: boolean };

/** Tells of a program that says nothing while it works: once at half of the time, once at its end. */
export class Watchdog {
  #tell: (silence: Silence) => void;
  #limit: () => number;
  #timer: NodeJS.Timeout | undefined;
  #working = false;

  constructor(tell: (silence: Silence) => void, limit: () => number) {
    this.#tell = tell;
    this.#limit = limit;
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
    if (this.#working) this.#wait(false);
  }

  #wait(last: boolean): void {
    clearTimeout(this.#timer);
    const ms = this.#limit() / 2;
    this.#timer = setTimeout(() => {
      this.#tell({ ms: last ? ms * 2 : ms, last });
      if (!last) this.#wait(true);
    }, ms);
  }
}

/** FILEPATH_SILENT_SECONDS replaces both times. */
export function silenceLimit(env: NodeJS.ProcessEnv, inTool: boolean): number {
  const seconds = Number(env['FILEPATH_SILENT_SECONDS']);
  if (Number.isFinite(seconds) && seconds > 0) return seconds * 1000;
  return inTool ? SILENT_IN_TOOL_MS : SILENT_MS;
}
