import { readText } from '../files.ts';
import { signal, statOf } from '../proc.ts';

/** Bytes that may wait to be stored before the agent has to wait; it goes on when half of them are left. */
const HIGH = 16 * 2 ** 20;

/**
 * Holds up an agent that prints faster than its lines can be stored: the shim's pump is stopped, its FIFO fills,
 * and the agent's next write waits.
 */
export class PumpGate {
  readonly #pidPath: string;
  readonly #shim: () => number | null;
  /** Not known at first: a runner that was killed may have left the pump stopped. */
  #held: boolean | null = null;
  #ended = false;

  constructor(pidPath: string, shim: () => number | null) {
    this.#pidPath = pidPath;
    this.#shim = shim;
  }

  update(backlog: number): void {
    if (this.#ended) return;
    if (backlog > HIGH && this.#held !== true) this.#set(true);
    else if (backlog < HIGH / 2 && this.#held !== false) this.#set(false);
  }

  /** The agent is ending, or nobody watches any more: what it says goes to the spool at once. */
  open(): void {
    this.#ended = true;
    if (this.#held !== false) this.#set(false);
  }

  #set(held: boolean): void {
    const pid = Number.parseInt(readText(this.#pidPath) ?? '', 10);
    const shim = this.#shim();
    // The number may be somebody else's by now; a pump is in its shim's process group.
    if (!(pid > 1) || shim === null || statOf(pid)?.group !== shim) return;
    signal(pid, held ? 'SIGSTOP' : 'SIGCONT');
    this.#held = held;
  }
}
