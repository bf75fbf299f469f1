import { appendFileSync, mkdirSync, readFileSync, renameSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { closingMessages, type ModelMessage, ModelMessageSchema } from '@filepath/loop';
import { z } from 'zod';
import type { Place } from './place.ts';

const Row = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), message: ModelMessageSchema }),
  /** What was before was handed off. */
  z.object({ type: z.literal('fresh') }),
]);
type Row = z.infer<typeof Row>;

/** The history of a native agent on disk, one row a line, only added to: after a kill at any point it can be sent again. */
export class SessionFile {
  readonly #path: string;
  #messages: ModelMessage[] = [];

  /** `fresh`: the history begins anew. */
  constructor({ home }: Place, { fresh }: { readonly fresh: boolean }) {
    this.#path = join(home, '.filepath', 'native.jsonl');
    mkdirSync(dirname(this.#path), { recursive: true });
    for (const row of this.#readOrSetAside()) this.#take(row);
    if (fresh && this.#messages.length > 0) this.#append({ type: 'fresh' });
    for (const message of closingMessages(this.#messages)) this.add(message);
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  add(message: ModelMessage): void {
    this.#append({ type: 'message', message });
  }

  #append(row: Row): void {
    appendFileSync(this.#path, `${JSON.stringify(row)}\n`, { mode: 0o600 });
    this.#take(row);
  }

  #take(row: Row): void {
    if (row.type === 'message') this.#messages.push(row.message);
    else this.#messages = [];
  }

  /** The agent can write to its home, so the file may hold anything: one that is no history is put aside. */
  #readOrSetAside(): Row[] {
    try {
      return this.#read();
    } catch {
      renameSync(this.#path, `${this.#path}.unreadable`);
      return [];
    }
  }

  /** A last line that a kill tore is cut off, so that the next row begins a line. */
  #read(): Row[] {
    const text = readIfThere(this.#path);
    const end = text.lastIndexOf('\n') + 1;
    if (end < text.length) truncateSync(this.#path, Buffer.byteLength(text.slice(0, end)));
    return text
      .slice(0, end)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Row.parse(JSON.parse(line)));
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
