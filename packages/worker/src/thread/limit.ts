import type { AgentInput, GatewayBody, StatusEvent, SystemLimit } from '@filepath/protocol';
import type { z } from 'zod';
import type { Sql } from '../storage/sql.ts';
import type { Appender } from './appender.ts';
import { orderStop, readInputs } from './launch.ts';
import { putOutbox } from './outbox.ts';
import { startNext } from './relay.ts';
import { messagesBetween, newestRun } from './relay-facts.ts';
import { newestSaid } from './relay-message.ts';
import { callOffResult } from './result-note.ts';
import type { ThreadMeta, ThreadState } from './state.ts';

/** A shorter wait is the agent's own affair. */
const LEAST_MS = 60_000;
/** A time beyond this is no limit that anybody waits for. */
const MOST_MS = 31 * 24 * 3_600_000;
/** A run that failed so long before the gateway told of the limit ended by it. */
const RECENT_MS = 60_000;

const GO_ON =
  'Your last run was ended by a limit of the provider. You are told this when it is over. Go on where you were; if nothing is left to do, say so and end.';

const SAID = 'This was said to you in that run. You may not have seen it:';

/** What an agent's status says of a limit. One that ends the run counts for any time, also if the gateway told the time. */
export function limitByStatus(
  sql: Sql,
  appender: Appender,
  { state: said, until }: z.infer<typeof StatusEvent>,
): void {
  const { state, now } = appender;
  if (state.lifecycle.handing || state.lifecycle.stopped) return;
  const told = untilOf(now, until === undefined ? Number.NaN : Date.parse(until));
  if (said === 'error') {
    const known = state.limitPassed === true ? undefined : state.limit;
    const end = told ?? untilOf(now, known ?? Number.NaN);
    if (end !== null) reach(sql, appender, end, true);
  } else if (told !== null && told - now >= LEAST_MS && state.lifecycle.open) {
    reach(sql, appender, told, false);
  }
}

/** What the gateway met. */
export function limitByGateway(sql: Sql, appender: Appender, body: GatewayBody): void {
  const { state, now } = appender;
  if (body.type === 'call' && body.outcome === 'completed') passLimit(state);
  if (body.type !== 'call' || body.outcome !== 'failed' || body.status !== 429) return;
  if (state.lifecycle.handing || state.lifecycle.stopped) return;
  const until = untilOf(now, now + (body.retryAfterSeconds ?? 0) * 1000);
  if (until === null || until - now < LEAST_MS) return;
  const { open, status } = state.lifecycle;
  const ended = !open && status === 'error' && failedRecently(sql, now);
  if (open || ended) reach(sql, appender, until, ended);
}

function reach(sql: Sql, appender: Appender, end: number, ended: boolean): void {
  const { state, meta } = appender;
  // Each new try tells the same limit again.
  if (!ended && state.limit !== undefined && state.limit >= end - 1000) return;
  // Its parent waits for the run that goes on.
  if (ended) callOffResult(sql, state.seq);
  const until = new Date(end).toISOString();
  const reason = `${providerOf(meta)} limit until ${until}`;
  const body: SystemLimit = { type: 'limit', reason, until, ended };
  const seq = appender.append('system', body);
  state.limit = end;
  state.limitPassed = false;
  putOutbox(sql, `limit:${seq}`, { kind: 'limit', note: { seq, reason, until } });
  if (!ended) return;
  state.goOn = state.launch.inputs;
  state.goOnRun = newestRun(sql, seq).began;
  state.goOnUpTo = seq;
  if (!state.launch.active) goOn(sql, appender);
  else if (!state.launch.stopping) orderStop(sql, appender, state, { handoff: true });
}

/** Whether the process that ended did so at a limit: the next one, which waits for its end, is told to go on. */
export function goOnAfterEnd(sql: Sql, appender: Appender): boolean {
  const { state } = appender;
  if ((state.goOn ?? null) === null || state.lifecycle.stopped) return false;
  goOn(sql, appender);
  return true;
}

function goOn(sql: Sql, appender: Appender): void {
  const { state } = appender;
  const since = readInputs(sql, state.launch.epoch, state.goOn ?? 0)
    .map(({ line }) => JSON.parse(line) as AgentInput)
    .filter((input) => input.type === 'message' && input.from !== 'system');
  const content = goOnWords(sql, state);
  const message = { type: 'message', from: 'system', content } as const;
  appender.append('system', message);
  state.goOn = null;
  startNext(sql, state, [message, ...since]);
}

/** The process may have ended before it read what came during its run. */
function goOnWords(sql: Sql, { goOnRun, goOnUpTo }: ThreadState): string {
  if (goOnRun === undefined || goOnUpTo === undefined) return GO_ON;
  const said = newestSaid(messagesBetween(sql, goOnRun, goOnUpTo));
  return said === '' ? GO_ON : [GO_ON, SAID, said].join('\n\n');
}

function untilOf(now: number, end: number): number | null {
  return end > now && end - now <= MOST_MS ? end : null;
}

function failedRecently(sql: Sql, now: number): boolean {
  const since = new Date(now - RECENT_MS).toISOString();
  const [run] = sql.all<{ outcome: string | null; ended_at: string | null }>(
    'SELECT outcome, ended_at FROM runs ORDER BY started_seq DESC LIMIT 1',
  );
  return run?.outcome === 'error' && (run.ended_at ?? '') >= since;
}

/** Who answers for the agent's model. */
function providerOf({ model, agentType }: ThreadMeta): string {
  const at = model.indexOf('/');
  return at > 0 ? model.slice(0, at) : agentType;
}

/** A person lets it go on, or a model has answered: what fails from now on is not taken for the limit that was met. */
export function passLimit(state: ThreadState): void {
  if (state.limit !== undefined) state.limitPassed = true;
}

/** A person's stop: nothing goes on by itself. */
export function forgetLimit(state: ThreadState): void {
  state.goOn = null;
  passLimit(state);
}
