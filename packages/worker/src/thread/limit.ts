import type { GatewayBody, StatusEvent, SystemLimit } from '@filepath/protocol';
import type { z } from 'zod';
import type { Sql } from '../storage/sql.ts';
import type { Appender } from './appender.ts';
import { endForLimit } from './go-on.ts';
import {
  heldUntil,
  isAboutPast,
  isBefore,
  isSame,
  LATE_MS,
  mayGoOn,
  noteCall,
} from './last-limit.ts';
import { putOutbox } from './outbox.ts';
import { wasMetered } from './relay-facts.ts';
import { callOffLastResult } from './result-note.ts';
import { isPlain } from './state.ts';

/** A shorter wait is the agent's own affair. */
const LEAST_MS = 60_000;
/** A time beyond this is no limit that anybody waits for. */
const MOST_MS = 31 * 24 * 3_600_000;
/** A run that failed so long before the gateway told of the limit ended by it. */
const RECENT_MS = 60_000;

/** What an agent's status says of a limit. One that ends the run counts for any time, also if the gateway told the time. */
export function limitByStatus(
  sql: Sql,
  appender: Appender,
  { state: said, until }: z.infer<typeof StatusEvent>,
): void {
  const { state, now } = appender;
  if (state.lifecycle.handing || state.lifecycle.stopped) return;
  const end = until === undefined ? Number.NaN : Date.parse(until);
  const past = isAboutPast(sql, state, now, end);
  const told = past ? null : untilOf(now, end);
  if (said !== 'error') {
    if (told === null || told - now < LEAST_MS || !state.lifecycle.open) return;
    reach(sql, appender, { end: told, ended: false });
    return;
  }
  const holds = told ?? heldUntil(state, now);
  if (holds !== null) reach(sql, appender, { end: holds, ended: true });
  else if (past) goOnAtOnce(sql, appender, state.limit ?? now);
  else if (isLate(now, end) && !(state.limitTried === true && isSame(state.limit, end))) {
    goOnAtOnce(sql, appender, end);
  }
}

/** What the gateway met. */
export function limitByGateway(sql: Sql, appender: Appender, body: GatewayBody): void {
  const { state, now } = appender;
  noteCall(state, now, body);
  if (body.type !== 'call' || body.outcome !== 'failed' || body.status !== 429) return;
  if (state.lifecycle.handing || state.lifecycle.stopped || isBefore(state, body)) return;
  const end = untilOf(now, now + (body.retryAfterSeconds ?? 0) * 1000);
  if (end === null || end - now < LEAST_MS) return;
  const { open, status, gate } = state.lifecycle;
  // What is being tested needs no provider.
  if ((gate ?? null) !== null) return;
  const ended = !open && status === 'error' && failedRecently(sql, now);
  if (open || ended) reach(sql, appender, { end, ended, provider: body.provider });
}

/** `provider`: the gateway met it, of this one. `over`: it holds no more. */
type Met = {
  readonly end: number;
  readonly ended: boolean;
  readonly provider?: string;
  readonly over?: true;
};

function reach(sql: Sql, appender: Appender, { end, ended, provider }: Met): void {
  const { state, now } = appender;
  const held = heldUntil(state, now);
  const metered = provider !== undefined || (held !== null && state.limitMetered === true);
  // Each new try tells the same limit again, and a shorter one changes nothing.
  if (!ended && held !== null && (end <= held || isSame(held, end))) {
    state.limitMetered = metered;
    return;
  }
  const { seq, body } = noteLimit(sql, appender, { end, ended, ...(provider && { provider }) });
  state.limit = end;
  state.limitSeq = seq;
  state.limitMetered = metered;
  state.limitPassed = false;
  state.limitTried = false;
  delete state.limitGone;
  const { reason, until } = body;
  putOutbox(sql, `limit:${seq}`, { kind: 'limit', note: { seq, reason, until } });
  if (ended) endForLimit(sql, appender, seq);
}

/** A run ended by a limit that is over: nothing pauses. */
function goOnAtOnce(sql: Sql, appender: Appender, end: number): void {
  const { state } = appender;
  if (!mayGoOn(state, end)) return;
  const { seq } = noteLimit(sql, appender, { end, ended: true, over: true });
  state.limitGone = end;
  endForLimit(sql, appender, seq);
}

function noteLimit(
  sql: Sql,
  appender: Appender,
  { end, ended, over, provider = providerOf(sql, appender) }: Met,
): { seq: number; body: SystemLimit } {
  // Its parent waits for the run that goes on.
  if (ended) callOffLastResult(sql);
  const until = new Date(end).toISOString();
  const reason = `${provider === '' ? '' : `${provider} `}limit until ${until}`;
  const body: SystemLimit = { type: 'limit', reason, until, ended, ...(over && { over }) };
  return { seq: appender.append('system', body), body };
}

function untilOf(now: number, end: number): number | null {
  return end > now && end - now <= MOST_MS ? end : null;
}

const isLate = (now: number, end: number): boolean => end <= now && now - end <= LATE_MS;

function failedRecently(sql: Sql, now: number): boolean {
  const since = new Date(now - RECENT_MS).toISOString();
  const [run] = sql.all<{ outcome: string | null; ended_at: string | null }>(
    'SELECT outcome, ended_at FROM runs ORDER BY started_seq DESC LIMIT 1',
  );
  return run?.outcome === 'error' && (run.ended_at ?? '') >= since;
}

/** Who answers for the agent's model. Nobody for a program that has called none: it has a name of a model all the same. */
function providerOf(sql: Sql, { meta, state }: Appender): string {
  const { model, agentType } = meta;
  if (isPlain(meta) && !wasMetered(sql, state.seq)) return '';
  const at = model.indexOf('/');
  return at > 0 ? model.slice(0, at) : agentType;
}
