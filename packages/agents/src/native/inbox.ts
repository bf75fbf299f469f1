import type { Resumes } from '@filepath/loop';
import type { AgentInput } from '@filepath/protocol';

/** What came on stdin and was not taken up yet. */
export class Inbox {
  readonly #stop = new AbortController();
  readonly #decided: (id: string, choice: string) => void;
  readonly #resumes: Resumes;
  #messages: string[] = [];
  /** From the system: read with what comes next, no reason to begin. */
  #notes: string[] = [];
  #tasked = false;
  #handoff = false;
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(decided: (id: string, choice: string) => void, resumes: Resumes) {
    this.#decided = decided;
    this.#resumes = resumes;
  }

  /** Aborted by a stop. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  async fill(inputs: AsyncIterable<AgentInput>): Promise<void> {
    try {
      for await (const input of inputs) {
        this.#take(input);
        this.#wake();
      }
    } finally {
      this.#ended = true;
      this.#wake();
    }
  }

  #take(input: AgentInput): void {
    if (input.type === 'decision') this.#decided(input.id, input.choice);
    else if (input.type === 'message') {
      // The first message is the task, whoever says it.
      if (input.from === 'system' && this.#tasked && input.wake !== true)
        this.#notes.push(`[from the system]\n${input.content}`);
      else {
        this.#tasked = true;
        this.#messages.push(input.content);
      }
    } else if (input.action === 'stop') this.#stop.abort();
    else if (input.action === 'handoff') this.#handoff = true;
    else if (input.action === 'resume') this.#resumes.resume();
  }

  /** Messages in the order in which they came, notes after them. */
  take({ notesAlone }: { readonly notesAlone: boolean }): string[] {
    if (this.#messages.length === 0 && !notesAlone) return [];
    const taken = [...this.#messages, ...this.#notes];
    this.#messages = [];
    this.#notes = [];
    return taken;
  }

  /** Something is to be taken up, rather than waited on. */
  get called(): boolean {
    return this.#messages.length > 0 || this.#handoff;
  }

  takeHandoff(): boolean {
    const asked = this.#handoff;
    this.#handoff = false;
    return asked;
  }

  /** Resolves when there is something to do; with false if nothing came for so long, or nothing will come. */
  async work(idleMs: number): Promise<boolean> {
    const until = Date.now() + idleMs;
    for (;;) {
      if (this.#stop.signal.aborted || this.called) return true;
      const left = until - Date.now();
      if (this.#ended || left <= 0) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, left);
      await promise;
      clearTimeout(timer);
    }
  }
}
