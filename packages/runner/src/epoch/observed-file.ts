import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { RunnerBody } from '@filepath/protocol';
import { isDiskFull, writeFully } from '../files.ts';

const sync = promisify(fdatasync);
/** Most observations that wait for room on the disk. */
const MOST_WAITING = 256;

/** What the runner observed of an epoch: observation n is line n. */
export class ObservedFile {
  readonly #fd: number;
  readonly #bodies: (RunnerBody | null)[];
  #complete: boolean;
  /** For which the disk had no room. */
  #waiting: RunnerBody[] = [];

  constructor(path: string) {
    this.#fd = openSync(path, 'a+', 0o600);
    const bytes = readFileSync(path);
    // A line that a kill cut short was never sent.
    const whole = bytes.lastIndexOf(10) + 1;
    if (whole < bytes.length) ftruncateSync(this.#fd, whole);
    const lines = bytes.toString('utf8', 0, whole).split('\n').slice(0, -1);
    this.#bodies = lines.map(parse);
    this.#complete = this.terminal !== null;
  }

  get count(): number {
    return this.#bodies.length;
  }

  at(id: number): RunnerBody | null {
    return this.#bodies[id - 1] ?? null;
  }

  all(): readonly (RunnerBody | null)[] {
    return this.#bodies;
  }

  has(type: RunnerBody['type']): boolean {
    return [...this.#bodies, ...this.#waiting].some((body) => body?.type === type);
  }

  get last(): RunnerBody | null {
    return this.#waiting.at(-1) ?? this.#bodies.at(-1) ?? null;
  }

  /** The exit or the refusal: nothing is observed after it. */
  get terminal(): RunnerBody | null {
    return this.#bodies.findLast((body) => body !== null && isTerminal(body)) ?? null;
  }

  /**
   * After the terminal observation nothing is appended, a second terminal one least of all. On a full disk an
   * observation waits for room; the terminal one is refused.
   */
  async append(body: RunnerBody): Promise<void> {
    if (this.#complete) return;
    const parsed = RunnerBody.parse(body);
    const terminal = isTerminal(parsed);
    try {
      this.flush();
      if (!terminal) return this.#add(parsed);
    } catch (error) {
      if (terminal || !isDiskFull(error) || this.#waiting.length >= MOST_WAITING) throw error;
      this.#waiting.push(parsed);
      return;
    }
    this.#write(`${JSON.stringify(parsed)}\n`);
    this.#complete = true;
    // A terminal observation is told only when a power cut cannot unsay it.
    await sync(this.#fd);
    this.#bodies.push(parsed);
  }

  /** Writes what waited for room. Throws while there is none. Says whether there was something. */
  flush(): boolean {
    const had = this.#waiting.length > 0;
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      this.#add(next);
      this.#waiting.shift();
    }
    return had;
  }

  #add(body: RunnerBody): void {
    this.#write(`${JSON.stringify(body)}\n`);
    this.#bodies.push(body);
  }

  /**
   * The worker has stored this many. Where a power cut took some of them from this file, it goes on after
   * them; a terminal one that got the number of one of those is said again.
   */
  catchUp(stored: number): void {
    const terminal = this.terminal;
    const unsaid = terminal !== null && this.#bodies.lastIndexOf(terminal) < stored;
    const missing = Math.max(0, stored - this.count);
    if (missing === 0 && !unsaid) return;
    const said = unsaid ? `${JSON.stringify(terminal)}\n` : '';
    this.#write('\n'.repeat(missing) + said);
    for (let i = 0; i < missing; i++) this.#bodies.push(null);
    if (unsaid) this.#bodies.push(terminal);
  }

  /** Whole or not at all: a full disk leaves no part of a line. */
  #write(text: string): void {
    const before = fstatSync(this.#fd).size;
    try {
      writeFully(this.#fd, Buffer.from(text));
    } catch (error) {
      ftruncateSync(this.#fd, before);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

const isTerminal = (body: RunnerBody): boolean => body.type === 'exit' || body.type === 'refused';

function parse(line: string): RunnerBody | null {
  try {
    return RunnerBody.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
