/** Runs `work` at most once a frame, however often it is asked for. A hidden page has no frames, so a timer stands in. */
export class PerFrame {
  #cancel: (() => void) | null = null;
  readonly #work: () => void;

  constructor(work: () => void) {
    this.#work = work;
  }

  ask(): void {
    if (this.#cancel) return;
    const run = (): void => {
      this.#cancel = null;
      this.#work();
    };
    if (document.hidden) {
      const timer = setTimeout(run, 100);
      this.#cancel = () => clearTimeout(timer);
    } else {
      const frame = requestAnimationFrame(run);
      this.#cancel = () => cancelAnimationFrame(frame);
    }
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
