/** What is told of each phase of a fetch: percents at which it is worth a line. */
const PHASES: readonly (readonly [RegExp, string, readonly number[]])[] = [
  [/^Receiving objects:\s+(\d+)%/, 'receiving objects', [0, 20, 40, 60, 80, 100]],
  [/^Resolving deltas:\s+(\d+)%/, 'resolving deltas', [0, 50, 100]],
];

/** Turns git's progress lines into at most ten steps. */
export class Progress {
  readonly #tell: (step: string) => void;
  readonly #told = new Map<string, number>();

  constructor(tell: (step: string) => void) {
    this.#tell = tell;
  }

  /** Says whether the line was one of progress. */
  take(line: string): boolean {
    for (const [pattern, name, steps] of PHASES) {
      const found = pattern.exec(line);
      if (found === null) continue;
      const percent = Number(found[1]);
      const step = steps.findLast((at) => at <= percent) ?? 0;
      if (step > (this.#told.get(name) ?? -1)) {
        this.#told.set(name, step);
        this.#tell(`${name} ${step}%`);
      }
      return true;
    }
    return /^(?:remote: )?[A-Z][a-z]+ [a-z]+:\s+\d+%/.test(line);
  }
}
