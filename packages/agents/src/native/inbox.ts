import type { AgentInput } from '@filepath/protocol';

type Message = Extract<AgentInput, { type: 'message' }>;

/** What came on stdin and was not taken up yet. */
export class Inbox {
  readonly #messages: string[] = [];
  readonly #decisions = new Map<string, (choice: string) => void>();
  readonly #stop = new AbortController();
  #handoff = false;
  #ended = false;
  #wake: () => void = () => undefined;

  /** Aborted by a stop. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  async fill(inputs: AsyncIterable<AgentInput>): Promise<void> {
    for await (const input of inputs) {
      if (input.type === 'message') this.#messages.push(textOf(input));
      else if (input.type === 'decision') this.#decisions.get(input.id)?.(input.choice);
      else if (input.action === 'stop') this.#stop.abort();
      else if (input.action === 'handoff') this.#handoff = true;
      this.#wake();
    }
    this.#ended = true;
    this.#wake();
  }

  takeMessages(): string[] {
    return this.#messages.splice(0);
  }

  takeHandoff(): boolean {
    const asked = this.#handoff;
    this.#handoff = false;
    return asked;
  }

  /** The choice of a person. Rejects when `signal` is aborted. */
  decision(id: string, signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const stop = () => reject(new Error('interrupted while it waited for a decision'));
    this.#decisions.set(id, resolve);
    signal.addEventListener('abort', stop, { once: true });
    return promise.finally(() => {
      this.#decisions.delete(id);
      signal.removeEventListener('abort', stop);
    });
  }

  /** Resolves when there is something to do: false if nothing came for so long, or nothing will come. */
  async work(idleMs: number): Promise<boolean> {
    const waiting = () => this.#messages.length > 0 || this.#handoff || this.#stop.signal.aborted;
    if (!waiting() && !this.#ended) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, idleMs);
      await promise;
      clearTimeout(timer);
    }
    return waiting();
  }
}

function textOf({ from, content }: Message): string {
  return from === 'system' ? `[from the system, not from a person]\n${content}` : content;
}
