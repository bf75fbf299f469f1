import type { InputLine } from '@filepath/protocol';
import { isDiskFull } from '../files.ts';
import type { StdinFile } from './stdin-file.ts';

/** Characters that are kept; beyond it the worker is asked again. */
const MOST = 4 * 2 ** 20;

/** Inputs on their way to a disk that is full: kept until there is room. The worker has them too. */
export class PendingInputs {
  readonly #stdin: StdinFile;
  #waiting: InputLine[] = [];

  constructor(stdin: StdinFile) {
    this.#stdin = stdin;
  }

  get waiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Says whether it stands in the file. */
  write(input: InputLine): boolean {
    if (input.id > (this.#waiting.at(-1)?.id ?? 0)) this.#waiting.push(input);
    return this.flush() !== null || input.id <= this.#stdin.count;
  }

  /** The last input that was written now, if any. */
  flush(): number | null {
    if (this.#waiting.length === 0) return null;
    const before = this.#stdin.count;
    try {
      this.#stdin.append(this.#waiting);
    } catch (error) {
      const size = this.#waiting.reduce((sum, { line }) => sum + line.length, 0);
      if (!isDiskFull(error) || size > MOST) {
        this.#waiting = [];
        throw error;
      }
    }
    this.#waiting = this.#waiting.filter(({ id }) => id > this.#stdin.count);
    return this.#waiting.length === 0 && this.#stdin.count > before ? this.#stdin.count : null;
  }
}
