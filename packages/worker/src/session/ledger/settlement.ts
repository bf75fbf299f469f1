import { GatewayCall, NO_TOKENS, TokenCounts } from '@filepath/protocol';
import { NANO, type Outcome } from '../../gateway/contract.ts';
import type { Accounts } from './accounts.ts';
import type { CallEvents } from './call-events.ts';
import { type CallRow, type Calls, pathOfCall, priceOf } from './calls.ts';
import { costOf, plausible, worstTokens } from './money.ts';
import { Tally } from './tally.ts';
import { type UsageRow, usageRow } from './usage-row.ts';

/** For so long a call that is over is known by its id. */
const REMEMBER_MS = 3_600_000;

/** What a call was charged with. */
type Charge = { tokens: TokenCounts; nano: number; estimated: boolean };

export type Ended = { readonly row: CallRow; readonly outcome: Outcome };

/** The end of calls: their reservation goes back, what they used is charged, their thread is told. */
export class Settlement {
  #deps: { now: () => number; accounts: Accounts };
  #calls: Calls;
  #events: CallEvents;

  constructor(deps: { now: () => number; accounts: Accounts }, calls: Calls, events: CallEvents) {
    this.#deps = deps;
    this.#calls = calls;
    this.#events = events;
  }

  /** Once for good; once more where the first time was an estimate. Runs inside a transaction. */
  settle(ended: readonly Ended[]): void {
    const tally = new Tally();
    for (const { row, outcome } of ended) this.#end(row, outcome, tally);
    tally.write(this.#deps.accounts);
  }

  /** Leaves `row` as the table has it, for one that is told twice. */
  #end(row: CallRow, outcome: Outcome, tally: Tally): void {
    const charge = chargeOf(row, outcome);
    if (row.state === 'counted' || (row.state === 'estimated' && charge.estimated)) return;
    const event = eventOf(row, outcome, charge);
    const key = row.state === 'open' ? row.call : `${row.call}:counted`;
    const path = pathOfCall(row, this.#deps.accounts);
    if (row.state === 'open') tally.hold(path, row.node, -row.held_tokens, -row.held_nano);
    else tally.charge(path, row.node, usedBy(row, chargedOf(row)), -1);
    tally.charge(path, row.node, usedBy(row, charge), 1);
    row.state = charge.estimated ? 'estimated' : 'counted';
    row.charged = JSON.stringify(charge);
    row.until = this.#deps.now() + REMEMBER_MS;
    this.#calls.end(row);
    this.#events.put(row.node, key, event);
  }
}

function usedBy(row: CallRow, { tokens, nano, estimated }: Charge): UsageRow {
  return usageRow(tokens, {
    nano,
    calls: 1,
    estimated: estimated ? 1 : 0,
    unpriced: row.price === null ? 1 : 0,
  });
}

/** A count that nobody gave, or that nobody can have meant, is the worst case. */
function chargeOf(row: CallRow, outcome: Outcome): Charge {
  const { success, data: tokens } = TokenCounts.safeParse(outcome.tokens);
  if (!success || !plausible(tokens)) {
    const worst = worstTokens(row.input_bound, row.output_bound);
    return { tokens: worst, nano: row.held_nano, estimated: true };
  }
  return { tokens, nano: costOf(priceOf(row), tokens), estimated: outcome.estimated === true };
}

function chargedOf({ charged }: CallRow): Charge {
  return charged === null
    ? { tokens: NO_TOKENS, nano: 0, estimated: true }
    : (JSON.parse(charged) as Charge);
}

function eventOf(row: CallRow, outcome: Outcome, { tokens, nano, estimated }: Charge): GatewayCall {
  const { outcome: how, status, firstByteMs, durationMs, error, retryAfterSeconds } = outcome;
  return GatewayCall.parse({
    type: 'call',
    call: row.call,
    format: row.format,
    provider: row.provider,
    model: row.model,
    outcome: how,
    status,
    tokens,
    costUsd: row.price === null ? null : nano / NANO,
    estimated,
    startedAt: new Date(row.started).toISOString(),
    firstByteMs,
    durationMs,
    ...(error === undefined ? {} : { error: error.slice(0, 2048) }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
