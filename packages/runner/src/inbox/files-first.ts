import type { Attachment, InputLine } from '@filepath/protocol';
import { reasonOf } from '../log.ts';
import { filesOf } from './bring-files.ts';

type Parts = {
  /** What there is to wait for before the agent is told anything; null: nothing. */
  ready(): Promise<void> | null;
  bring(files: readonly Attachment[], signal: AbortSignal): Promise<void>;
  /** Says whether it stands in the agent's stdin. */
  write(input: InputLine): boolean;
  /** It does now. */
  written(id: number): void;
  failed(reason: string): void;
};

/**
 * Inputs in their order, each when the agent is ready for it and the files are there that it names. The worker has them
 * too: what is lost comes again.
 */
export class FilesFirst {
  readonly #parts: Parts;
  #waiting: InputLine[] = [];
  #ending = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Says whether it stands in the agent's stdin. */
  take(input: InputLine): boolean {
    const waits = filesOf(input).length > 0 || this.#parts.ready() !== null;
    if (this.#waiting.length === 0 && !waits) return this.#parts.write(input);
    if (this.#waiting.some(({ id }) => id === input.id)) return false;
    this.#waiting.push(input);
    if (this.#waiting.length === 1) void this.#drain(this.#ending.signal);
    return false;
  }

  /** Nothing is waited for any more: the process ends, and the order for that has all inputs. */
  end(): void {
    this.#ending.abort();
    this.#ending = new AbortController();
    this.#waiting = [];
  }

  async #drain(signal: AbortSignal): Promise<void> {
    for (let input = this.#waiting[0]; input !== undefined; input = this.#waiting[0]) {
      // An agent is told of what it was sent even if a file does not come: it finds nothing there.
      await this.#parts
        .bring(filesOf(input), signal)
        .catch((error: unknown) => signal.aborted || this.#parts.failed(reasonOf(error)));
      await this.#parts.ready();
      if (signal.aborted) return;
      this.#waiting.shift();
      try {
        if (this.#parts.write(input)) this.#parts.written(input.id);
      } catch (error) {
        this.#parts.failed(reasonOf(error));
        this.#waiting = [];
      }
    }
  }
}
