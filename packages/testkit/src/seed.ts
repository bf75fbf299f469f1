/** Chance that can be had again: `FAULT_SEED=… npm run test:faults` repeats a run. */
export type Chance = { readonly seed: number; next(): number; below(limit: number): number };

export function chance(name: string): Chance {
  const given = Number.parseInt(process.env['FAULT_SEED'] ?? '', 10);
  const seed = Number.isNaN(given) ? Math.floor(Math.random() * 2 ** 31) : given;
  process.stdout.write(`${name}: FAULT_SEED=${seed}\n`);
  let state = seed;
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, next, below: (limit) => Math.floor(next() * limit) };
}
