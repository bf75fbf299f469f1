const REST_MS = 3_000;
const SIGNS = ['pointermove', 'pointerdown', 'keydown'] as const;

/** Calls back when somebody first does something on the page, or it has rested for a while. Gives back how to stop that. */
export function onceUsed(then: () => void): () => void {
  const stop = (): void => {
    clearTimeout(timer);
    for (const sign of SIGNS) removeEventListener(sign, used, true);
  };
  const used = (): void => {
    stop();
    then();
  };
  const timer = setTimeout(used, REST_MS);
  for (const sign of SIGNS) addEventListener(sign, used, { capture: true, passive: true });
  return stop;
}
