import { createWriteStream, renameSync, statSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const LARGEST_FILE = 5 * 1024 * 1024;
const LONGEST_LINE = 4_096;
const KEPT_LINES = 20;
const REOPEN_MS = 1_000;

/** A log file in the home, bounded; its last lines are kept in memory as well. */
export class HomeLog {
  readonly #path: string;
  #stream: WriteStream;
  #bytes: number;
  #opened = 0;
  #last: string[] = [];

  constructor(home: string, name: string) {
    this.#path = join(home, name);
    this.#bytes = sizeOf(this.#path);
    this.#stream = this.#open();
  }

  read(stream: Readable): void {
    createInterface(stream).on('line', (line) => this.write(line));
  }

  write(line: string): void {
    const cut = line.slice(0, LONGEST_LINE);
    this.#last = [...this.#last.slice(1 - KEPT_LINES), cut];
    if (this.#bytes > LARGEST_FILE) this.#rotate();
    else if (this.#stream.destroyed && Date.now() - this.#opened > REOPEN_MS) {
      this.#stream = this.#open();
    }
    const entry = `${new Date().toISOString()} ${cut}\n`;
    this.#bytes += Buffer.byteLength(entry);
    this.#stream.write(entry);
  }

  lastLines(): readonly string[] {
    return this.#last;
  }

  close(): void {
    this.#stream.end();
  }

  #rotate(): void {
    this.#stream.end();
    renameSync(this.#path, `${this.#path}.old`);
    this.#bytes = 0;
    this.#stream = this.#open();
  }

  /** A full disk must not end the process: what is logged meanwhile is lost, the thread data is not. */
  #open(): WriteStream {
    this.#opened = Date.now();
    return createWriteStream(this.#path, { flags: 'a', mode: 0o600 }).on('error', () => {});
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
