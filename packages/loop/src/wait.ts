/** Tells a loop that whoever held it up lets it go on: a wait for a provider ends then. */
export class Resumes {
  #waiting = new Set<() => void>();
  #count = 0;

  /** How often it was told. */
  get count(): number {
    return this.#count;
  }

  resume(): void {
    this.#count += 1;
    for (const go of this.#waiting) go();
  }

  /** Calls `go` each time; what comes back ends that. */
  onResume(go: () => void): () => void {
    this.#waiting.add(go);
    return () => void this.#waiting.delete(go);
  }
}

/** A timer does not count while a machine sleeps. */
const LOOK_MS = 10_000;

/** Until this time by the clock on the wall, an interruption or a resume: a process that was held still past it goes on at once. */
export async function waitUntil(
  at: number,
  { signal, resumes }: { readonly signal: AbortSignal; readonly resumes?: Resumes | undefined },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => resolve();
  const look = () => {
    const left = at - Date.now();
    if (left <= 0) resolve();
    else timer = setTimeout(look, Math.min(left, LOOK_MS));
  };
  signal.addEventListener('abort', stop, { once: true });
  const forget = resumes?.onResume(stop);
  if (signal.aborted) stop();
  else look();
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    forget?.();
  }
}
