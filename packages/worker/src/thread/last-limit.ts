import type { GatewayBody } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';
import { newestRun } from './relay-facts.ts';
import type { ThreadState } from './state.ts';

/** Times that differ by no more say the same limit: each teller has a clock of its own. */
const SAME_MS = 5_000;
/** What an agent says of a limit so long after it was let go on is news. */
export const LATE_MS = 10 * 60_000;
/** Limits for which runs go on without a pause end so far apart: no agent is started again and again. */
const APART_MS = 60_000;

/** The end of the limit that was met last, while it holds. */
export function heldUntil({ limit, limitPassed }: ThreadState, now: number): number | null {
  return limit !== undefined && limitPassed !== true && limit > now ? limit : null;
}

export const isSame = (limit: number | undefined, end: number): boolean =>
  limit !== undefined && Math.abs(end - limit) <= SAME_MS;

/**
 * Whether a status is about a limit that is over, and tells of no new one. The process was held still in between and says
 * now what it meant to say then. `end`: what it says itself, perhaps nothing.
 */
export function isAboutPast(sql: Sql, state: ThreadState, now: number, end: number): boolean {
  const { limit, limitSeq, limitMetered, limitTried } = state;
  if (limit === undefined || limitSeq === undefined || limitTried === true) return false;
  if (heldUntil(state, now) !== null || newestRun(sql, state.seq).began > limitSeq) return false;
  // What is metered cannot meet another without a call.
  if (limitMetered === true) return true;
  const { limitPassed, limitLetGo = 0 } = state;
  const since = limitPassed === true ? limitLetGo : Math.max(limit, limitLetGo);
  return isSame(limit, end) && now - since <= LATE_MS;
}

/** Whether a call of a model belongs to what came before the agent was let go on. One that does not is a try of its own. */
export function isBefore(state: ThreadState, body: GatewayBody): boolean {
  return body.type === 'call' && Date.parse(body.startedAt) < (state.limitLetGo ?? 0);
}

export function noteCall(state: ThreadState, now: number, body: GatewayBody): void {
  const answered = body.type === 'call' && body.outcome === 'completed';
  if (answered) passLimit(state);
  else if (heldUntil(state, now) !== null || isBefore(state, body)) return;
  state.limitTried = true;
}

/** Whether a run may go on for a limit that is over. */
export function mayGoOn({ limitGone }: ThreadState, end: number): boolean {
  return limitGone === undefined || end >= limitGone + APART_MS;
}

/** The agent is let go on: by a person, or since the time of its limit has come. */
export function letGo(state: ThreadState, now: number, by: 'user' | 'system'): void {
  state.limitLetGo = now;
  if (by === 'user') passLimit(state);
}

/** A person lets it go on, or a model has answered: what fails from now on is not taken for the limit that was met. */
function passLimit(state: ThreadState): void {
  if (state.limit !== undefined) state.limitPassed = true;
}

/** A person's stop: nothing goes on by itself. */
export function forgetLimit(state: ThreadState): void {
  state.goOn = null;
  passLimit(state);
  state.limitTried = true;
}
