export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.floor((sorted.length * p) / 100));
  return sorted[at] ?? Number.NaN;
}

/** Milliseconds of the wall clock, finer than `Date.now()`: comparable between processes of one machine. */
export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}
