import type { ModelPrice } from '@filepath/protocol';
import { NANO, type Price } from '../contract.ts';

const MILLION = 1e6;

/** Costs nothing. */
export const FREE: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Dollars for a million tokens as billionths of a dollar for one, to a thousandth of them. */
export function nanoPrice({ input, output, cacheRead, cacheWrite }: ModelPrice): Price {
  return {
    input: nano(input),
    output: nano(output),
    cacheRead: nano(cacheRead ?? input),
    cacheWrite: nano(cacheWrite ?? input),
  };
}

const nano = (usd: number): number => Math.round(((usd * NANO) / MILLION) * 1000) / 1000;
