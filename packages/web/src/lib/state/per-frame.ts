const HIDDEN_MS = 100;

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
      this.cancel();
      this.#work();
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(run);
    // Also where the page is hidden between this and its next frame.
    const look = (): void => {
      if (document.hidden) timer ??= setTimeout(run, HIDDEN_MS);
    };
    document.addEventListener('visibilitychange', look);
    look();
    this.#cancel = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
