import { GatewayCall, NO_TOKENS, TokenCounts, totalTokens } from '@filepath/protocol';
import { NANO, type Outcome } from '../../gateway/contract.ts';
import type { Sql } from '../../storage/sql.ts';
import type { Accounts } from './accounts.ts';
import type { CallEvents } from './call-events.ts';
import { type CallRow, type Calls, pathOfCall, priceOf } from './calls.ts';
import { costOf, plausible, worstTokens } from './money.ts';
import { usageRow } from './usage-row.ts';

/** For so long a call that is over is known by its id. */
const REMEMBER_MS = 3_600_000;

/** What a call was charged with. */
type Charge = { tokens: TokenCounts; nano: number; estimated: boolean };

/** The end of calls: their reservation goes back, what they used is charged, their thread is told. */
export class Settlement {
  #deps: { sql: Sql; now: () => number; accounts: Accounts };
  #calls: Calls;
  #events: CallEvents;

  constructor(
    deps: { sql: Sql; now: () => number; accounts: Accounts },
    calls: Calls,
    events: CallEvents,
  ) {
    this.#deps = deps;
    this.#calls = calls;
    this.#events = events;
  }

  /** Once for good; once more where the first time was an estimate. Runs inside a transaction. */
  settle(row: CallRow, outcome: Outcome): void {
    const charge = chargeOf(row, outcome);
    if (row.state === 'counted' || (row.state === 'estimated' && charge.estimated)) return;
    const { accounts, now } = this.#deps;
    if (row.state === 'estimated') this.#charge(row, chargedOf(row), -1);
    else {
      const path = pathOfCall(row, accounts);
      accounts.hold(path, { tokens: -row.held_tokens, nano: -row.held_nano });
    }
    this.#charge(row, charge, 1);
    const state = charge.estimated ? 'estimated' : 'counted';
    this.#calls.end(row.call, state, now() + REMEMBER_MS, JSON.stringify(charge));
    const key = row.state === 'open' ? row.call : `${row.call}:counted`;
    this.#events.put(row.node, key, eventOf(row, outcome, charge));
  }

  /** `times` is 1, or -1 to take a charge back. */
  #charge(row: CallRow, { tokens, nano, estimated }: Charge, times: 1 | -1): void {
    const { sql, accounts } = this.#deps;
    accounts.charge(
      pathOfCall(row, accounts),
      usageRow(times === 1 ? tokens : negative(tokens), {
        nano: times * nano,
        calls: times,
        estimated: estimated ? times : 0,
        unpriced: row.price === null ? times : 0,
      }),
    );
    const all = times * totalTokens(tokens);
    sql.run('UPDATE nodes SET tokens = tokens + ? WHERE id = ?', all, row.node);
  }
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
