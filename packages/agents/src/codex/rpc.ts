import { z } from 'zod';
import { type Child, exitReason } from '../driver/child.ts';
import { readJsonLines } from '../driver/json-lines.ts';

const Id = z.union([z.string(), z.number()]);
const Message = z.looseObject({
  id: Id.optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});

export type Handlers = {
  readonly notified: (method: string, params: unknown) => void;
  /** Its answer is sent back; a rejection becomes an error. */
  readonly asked: (method: string, params: unknown) => Promise<unknown>;
  readonly heard: () => void;
  readonly other: (head: string) => void;
  /** The program is gone; every open request has been rejected with the same reason. */
  readonly ended: (reason: Error) => void;
};

type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void };

/** JSON-RPC with a child, one message a line, as codex speaks it: without the `jsonrpc` key. */
export class Rpc {
  #child: Child;
  #name: string;
  #handlers: Handlers;
  #open = new Map<string | number, Waiting>();
  #last = 0;
  #ended: Error | null = null;

  constructor(child: Child, name: string, handlers: Handlers) {
    this.#child = child;
    this.#name = name;
    this.#handlers = handlers;
    void this.#read();
  }

  request(method: string, params: unknown): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#child.writeLine({ id, method, params });
    });
  }

  notify(method: string): void {
    this.#child.writeLine({ method });
  }

  async #read(): Promise<void> {
    await readJsonLines(this.#child.stdout, {
      line: (value) => {
        this.#handlers.heard();
        this.#message(value);
      },
      other: this.#handlers.other,
    });
    const exit = await this.#child.exited;
    this.#ended = new Error(exitReason(this.#name, exit, this.#child.stderr));
    for (const { reject } of this.#open.values()) reject(this.#ended);
    this.#open.clear();
    this.#handlers.ended(this.#ended);
  }

  #message(value: Record<string, unknown>): void {
    const parsed = Message.safeParse(value);
    if (!parsed.success) return;
    const { id, method, params, result, error } = parsed.data;
    if (method !== undefined && id === undefined) this.#handlers.notified(method, params);
    else if (method !== undefined && id !== undefined) void this.#answer(id, method, params);
    else if (id !== undefined) {
      const waiting = this.#open.get(id);
      this.#open.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    }
  }

  async #answer(id: string | number, method: string, params: unknown): Promise<void> {
    try {
      this.#child.writeLine({ id, result: await this.#handlers.asked(method, params) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#child.writeLine({ id, error: { code: -32_601, message } });
    }
  }
}
