import type { Block } from '@filepath/protocol';
import { type Chunk, chunked } from './chunks.ts';

/** Groups at the end of a thread that are on the page as soon as it opens. */
const FIRST = 2;
/** A log arrives in many frames. It is open when none came for a while, or when what comes is a trickle. */
const QUIET_MS = 120;
const TRICKLE_MS = 1000;

/**
 * The part of a thread that is on the page: its end at once, the rest from the end to the beginning while the
 * browser has nothing better to do. What is there stays.
 */
export class ThreadWindow {
  #chunks = $state.raw<readonly Chunk[]>([]);
  #from = $state(0);
  visible = $derived(this.#chunks.slice(this.#from));
  whole = $derived(this.#from === 0);
  #opening = true;
  #deadline = performance.now() + TRICKLE_MS;
  #cancel: (() => void) | null = null;

  show(blocks: readonly Block[]): void {
    const before = this.#chunks.length;
    this.#chunks = chunked(blocks, this.#chunks);
    if (!this.#opening) return this.#fillLater();
    const now = performance.now();
    if (this.#chunks.length > before + 1) this.#deadline = now + TRICKLE_MS;
    this.#from = Math.max(0, this.#chunks.length - FIRST);
    this.#cancel?.();
    const timer = setTimeout(() => this.#opened(), Math.min(QUIET_MS, this.#deadline - now));
    this.#cancel = () => clearTimeout(timer);
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #opened(): void {
    this.#opening = false;
    this.#cancel = null;
    this.#fillLater();
  }

  #fillLater(): void {
    if (this.#from === 0 || this.#cancel !== null) return;
    this.#cancel = whenIdle(() => {
      this.#cancel = null;
      this.#from = Math.max(0, this.#from - 1);
      this.#fillLater();
    });
  }
}

/** Safari has no idle callback; a short timer leaves it room to draw. */
function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(work, { timeout: 500 });
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(work, 30);
  return () => clearTimeout(timer);
}
