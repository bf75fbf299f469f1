import type { GatewayCall } from '../gateway/events.ts';
import { addTokens, NO_TOKENS, type TokenCounts } from '../gateway/usage.ts';
import type { Base, CallsBlock } from './block.ts';

const NANO = 1e9;

/** The calls of one run. A call that is told again replaces what was told of it. */
export class CallTally {
  readonly #base: Base;
  readonly #run: string | null;
  readonly #known = new Map<string, GatewayCall>();
  readonly #models = new Set<string>();
  #tokens: TokenCounts = NO_TOKENS;
  /** Billionths of a dollar: their sum is exact in any order. */
  #nano = 0;
  #unpriced = 0;
  #estimated = 0;

  constructor(base: Base, run: string | null) {
    this.#base = base;
    this.#run = run;
  }

  add(call: GatewayCall): CallsBlock {
    const before = this.#known.get(call.call);
    if (before) this.#count(before, -1);
    this.#known.set(call.call, call);
    this.#models.add(call.model);
    this.#count(call, 1);
    return {
      ...this.#base,
      kind: 'calls',
      run: this.#run,
      calls: this.#known.size,
      models: [...this.#models],
      tokens: this.#tokens,
      costUsd: this.#unpriced > 0 ? null : this.#nano / NANO,
      estimated: this.#estimated > 0,
    };
  }

  #count({ tokens, costUsd, estimated }: GatewayCall, times: 1 | -1): void {
    this.#tokens = addTokens(this.#tokens, times === 1 ? tokens : negative(tokens));
    if (costUsd === null) this.#unpriced += times;
    else this.#nano += times * Math.round(costUsd * NANO);
    if (estimated) this.#estimated += times;
  }
}

function negative(tokens: TokenCounts): TokenCounts {
  const { input, output, cacheRead, cacheWrite, reasoning } = tokens;
  return {
    input: -input,
    output: -output,
    cacheRead: -cacheRead,
    cacheWrite: -cacheWrite,
    reasoning: -reasoning,
  };
}
