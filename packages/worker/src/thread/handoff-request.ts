import type { InputLine } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';
import type { Appender } from './appender.ts';
import { addInput } from './launch.ts';
import { handOffOverdue } from './relay.ts';
import { isPlain, type ThreadMeta, type ThreadState } from './state.ts';

/** How long an agent has to hand off when a person asks for it: one that may know nothing of that, and one that does. */
export const HANDOFF_GRACE_MS = { plain: 30_000, known: 300_000 } as const;

const graceOf = (meta: ThreadMeta): number =>
  isPlain(meta) ? HANDOFF_GRACE_MS.plain : HANDOFF_GRACE_MS.known;

/** A person asks a running agent. Asked again, it has no more time than before. */
export function askForHandoff(sql: Sql, appender: Appender): { seq: number; inputs: InputLine[] } {
  const { state, meta, now } = appender;
  const { epoch } = state.launch;
  const known = state.handoffAsked?.epoch === epoch ? state.handoffAsked : null;
  const due = state.held === undefined ? now + graceOf(meta) : null;
  const asked = known ?? { epoch, due };
  const until = asked.due === null ? {} : { until: new Date(asked.due).toISOString() };
  const seq = appender.append('user', { type: 'signal', action: 'handoff', ...until });
  state.handoffs = 0;
  state.handoffAsked = asked;
  return { seq, inputs: [addInput(sql, state, { type: 'signal', action: 'handoff' })] };
}

/** A process that is held still has no time to lose; when it goes on it has all of it again. */
export function holdRequest({ state, meta, now }: Appender, held: boolean): void {
  const asked = state.handoffAsked;
  if (asked) state.handoffAsked = { ...asked, due: held ? null : now + graceOf(meta) };
}

/** What was asked of a process that ends, or has handed off, is asked no more. */
export function settleRequest({ state }: Appender): void {
  const { launch, lifecycle, handoffAsked } = state;
  if (!handoffAsked) return;
  const { active, stopping, epoch } = launch;
  if (active && !stopping && !lifecycle.handing && epoch === handoffAsked.epoch) return;
  state.handoffAsked = null;
}

/** The time is over: filepath hands off, with what the agent said last. One that is starting or tested has more of it. */
export function endRequest(sql: Sql, appender: Appender): void {
  const { state, meta } = appender;
  const { alive, gate } = state.lifecycle;
  if (!alive || (gate ?? null) !== null) {
    holdRequest(appender, false);
    return;
  }
  const time = isPlain(meta) ? '30 seconds' : '5 minutes';
  const reason = `${meta.name} has not handed off in ${time}: filepath does, with what it said last`;
  const seq = appender.append('system', { type: 'signal', action: 'handoff', reason });
  handOffOverdue(sql, appender, seq);
}

/** When that is; null: nothing is asked, or it is held still. */
export const requestDue = ({ handoffAsked }: ThreadState): number | null =>
  handoffAsked?.due ?? null;
