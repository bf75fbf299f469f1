import { type Ask, LEAST_OUTPUT } from '../../gateway/contract.ts';
import { type Amount, inputPrice, type Limit, showMoney, worstCase } from './money.ts';

/** One budget that a call has to fit in. */
export type Purse = {
  /** Whose it is: a node's id, `session` or `user`. */
  readonly scope: string;
  /** For a person: `the budget of …`. */
  readonly name: string;
  readonly how: string;
  readonly limit: Limit;
  readonly used: Amount;
  readonly held: Amount;
  /** The limit is a part of the budget: its numbers say nothing to a person. */
  readonly leased?: boolean;
};

type Wish = Pick<Ask, 'price' | 'inputBound' | 'outputBound' | 'model' | 'unknown'>;

export type Allowance =
  | { readonly ok: true; readonly outputBound: number }
  | {
      readonly ok: false;
      readonly code: 'budget' | 'no_price';
      readonly purse: Purse;
      readonly message: string;
    };

/** How long the answer may be so that the call fits in every purse, or which of them it does not fit in. */
export function allow(wish: Wish, purses: readonly Purse[]): Allowance {
  const least = Math.min(LEAST_OUTPUT, wish.outputBound);
  let outputBound = wish.outputBound;
  for (const purse of purses) {
    const { tokens, nano } = purse.limit;
    if (tokens === null && nano === null) continue;
    if (wish.unknown?.bounded === false) return unbounded(wish.unknown.what, purse);
    if (nano !== null && wish.price === null) return unpriced(wish, purse);
    const fits = outputWithin(wish, purse);
    if (fits < least) return exhausted(wish, purse, least);
    outputBound = Math.min(outputBound, fits);
  }
  return { ok: true, outputBound };
}

function outputWithin({ price, inputBound }: Wish, { limit, used, held }: Purse): number {
  const byTokens =
    limit.tokens === null ? Infinity : limit.tokens - used.tokens - held.tokens - inputBound;
  if (limit.nano === null || price === null) return byTokens;
  const rest = limit.nano - used.nano - held.nano - Math.ceil(inputPrice(price) * inputBound);
  if (rest < 0) return -1;
  return Math.min(byTokens, price.output === 0 ? Infinity : Math.floor(rest / price.output));
}

function unpriced({ model, unknown }: Wish, purse: Purse): Allowance {
  const limited = `${purse.name} is a limit in money`;
  const message = unknown
    ? `Nobody knows what ${unknown.what} costs, and ${limited}. Ask without it, or have a person set a budget in tokens instead (${purse.how}).`
    : `Nobody knows what ${model} costs, and ${limited}. Use a model with a known price, give this one a price, or set a budget in tokens instead (${purse.how}).`;
  return { ok: false, code: 'no_price', purse, message };
}

function unbounded(what: string, purse: Purse): Allowance {
  const message = `Nobody knows beforehand how much ${what} uses, and ${purse.name} is limited. Ask without it, or have a person take the limit away (${purse.how}).`;
  return { ok: false, code: 'no_price', purse, message };
}

function exhausted(wish: Wish, purse: Purse, least: number): Allowance {
  const { limit, used, held } = purse;
  const need = worstCase(wish.price, wish.inputBound, least);
  const money = limit.nano !== null && used.nano + held.nano + need.nano > limit.nano;
  const needs = `this call needs at least ${money ? showMoney(need.nano) : `${need.tokens} tokens`}`;
  const numbers = money
    ? [showMoney(used.nano), showMoney(limit.nano), showMoney(held.nano)]
    : [`${used.tokens} tokens`, `${limit.tokens ?? 0}`, `${held.tokens}`];
  const [spent, of, reserved] = numbers;
  const words = purse.leased
    ? needs
    : `${spent} of ${of} are used, ${reserved} are reserved by calls under way, and ${needs}`;
  const message = `Not enough is left of ${purse.name}: ${words}. To go on, a person raises it (${purse.how}).`;
  return { ok: false, code: 'budget', purse, message };
}
