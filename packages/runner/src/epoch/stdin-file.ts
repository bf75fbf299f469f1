import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { InputLine } from '@filepath/protocol';
import { readText, writeFully } from '../files.ts';

const NEWLINE = 10;

/**
 * The file that the shim follows into the agent's stdin: input n is line n. Appending is the one step that
 * both delivers and records, so that a kill neither loses nor doubles an input.
 */
export class StdinFile {
  readonly #path: string;
  #count = 0;
  /** Bytes of a line that a kill or a full disk cut short. The agent may have read them, so the line is completed. */
  #torn = 0;

  constructor(path: string) {
    this.#path = path;
    const fd = openSync(path, 'a+', 0o600);
    try {
      const chunk = Buffer.alloc(64 * 1024);
      for (let at = 0; ;) {
        const read = readSync(fd, chunk, 0, chunk.length, at);
        if (read === 0) break;
        this.#scan(chunk.subarray(0, read));
        at += read;
      }
    } finally {
      closeSync(fd);
    }
  }

  /** The last input written. */
  get count(): number {
    return this.#count;
  }

  /** Appends the inputs that follow on those written. Repeated ones are passed over. */
  append(inputs: readonly InputLine[]): void {
    for (const input of inputs) {
      if (input.id <= this.#count) continue;
      if (input.id !== this.#count + 1) {
        throw new Error(`input ${input.id} came after input ${this.#count}: one is missing`);
      }
      const bytes = Buffer.from(`${input.line.replace(/\n$/, '').replaceAll('\n', ' ')}\n`);
      const fd = openSync(this.#path, 'a', 0o600);
      const { size } = fstatSync(fd);
      try {
        writeFully(fd, bytes.subarray(Math.min(this.#torn, bytes.length - 1)));
      } catch (error) {
        this.#torn += fstatSync(fd).size - size;
        throw error;
      } finally {
        closeSync(fd);
      }
      this.#torn = 0;
      this.#count = input.id;
    }
  }

  #scan(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#count++;
      this.#torn = 0;
      from = at + 1;
    }
    this.#torn += chunk.length - from;
  }
}

export function isMessage(line: string): boolean {
  try {
    return Reflect.get(Object(JSON.parse(line)), 'type') === 'message';
  } catch {
    return false;
  }
}

/** Whether a message stands in the file after so many inputs. */
export const toldAfter = (path: string, inputs: number): boolean =>
  (readText(path) ?? '').split('\n').slice(inputs).some(isMessage);
