import { FilepathError } from '@filepath/protocol';
import { Handed } from './handed.ts';

/** How long after a wait ended without an end its agent is taken to wait on: it asks again. */
const AGAIN_MS = 3_000;

/** Waits of one agent at a time: what it runs side by side. */
const MOST = 8;

type Wait = {
  /** Its name, by which it can be broken off. */
  readonly id: string;
  readonly parent: string;
  readonly children: ReadonlySet<string>;
  readonly over: () => boolean;
  /** Called in the turn in which it ends: whatever comes after it knows of the end. */
  readonly ended: () => void;
};

/**
 * Agents that wait for their children. What they wait for is answered to them, and is no message beside. Kept in
 * memory: a wait that is lost with its object is asked again.
 */
export class Waits {
  readonly handed: Handed;
  readonly #now: () => number;
  readonly #open = new Map<Wait, () => void>();
  /** Children whose parent's wait has just ended without their end, and until when it is taken to wait on. */
  readonly #until = new Map<string, number>();

  /** Parents whose wait has just ended without an end, in the same way. */
  readonly #again = new Map<string, number>();
  readonly #opened: () => void;

  constructor(now: () => number, opened: () => void = () => undefined) {
    this.#now = now;
    this.#opened = opened;
    this.handed = new Handed(now);
  }

  /** Resolves when it is over, after the time, or when it is broken off. */
  async wait(wait: Wait, milliseconds: number): Promise<void> {
    const { parent, over, ended } = wait;
    if (over() || milliseconds === 0) return ended();
    if ([...this.#open.keys()].filter((other) => other.parent === parent).length >= MOST) {
      throw new FilepathError('conflict', `at most ${MOST} waits at a time: wait for one to end`);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.#end(wait), milliseconds);
    this.#open.set(wait, resolve);
    this.#opened();
    await promise;
    clearTimeout(timer);
  }

  /** Nobody waits for its answer any more: what it held back is told. */
  breakOff(parent: string, id: string): void {
    for (const [wait, resolve] of this.#open) {
      if (wait.parent !== parent || wait.id !== id) continue;
      this.#open.delete(wait);
      resolve();
    }
  }

  /** To be called when a status has changed. */
  check(): void {
    for (const wait of this.#open.keys()) if (wait.over()) this.#end(wait);
  }

  #end(wait: Wait): void {
    const resolve = this.#open.get(wait);
    this.#open.delete(wait);
    wait.ended();
    if (!wait.over()) {
      const until = this.#now() + AGAIN_MS;
      for (const child of wait.children) this.#until.set(child, until);
      this.#again.set(wait.parent, until);
    }
    resolve?.();
  }

  /** Parents that wait now. */
  parents(): ReadonlySet<string> {
    const now = this.#now();
    for (const [parent, until] of this.#again) if (until <= now) this.#again.delete(parent);
    const open = [...this.#open.keys()].map(({ parent }) => parent);
    return new Set([...open, ...this.#again.keys()]);
  }

  /** The child's end is waited for, or was just answered: it is not told. */
  holds(child: string): boolean {
    for (const wait of this.#open.keys()) if (wait.children.has(child)) return true;
    if (this.handed.holds(child)) return true;
    const until = this.#until.get(child);
    if (until === undefined) return false;
    if (until > this.#now()) return true;
    this.#until.delete(child);
    return false;
  }
}
