import type { AgentInput } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';
import type { Appender } from './appender.ts';
import { orderStop, readInputs } from './launch.ts';
import { startNext } from './relay.ts';
import { messageAt, messagesBetween, newestRun, taskOfWork } from './relay-facts.ts';
import { cut, newestSaid } from './relay-message.ts';
import { isPlain, type ThreadState } from './state.ts';

const GO_ON =
  'Your last run was ended by a limit of the provider. You are told this when it is over. Go on where you were; if nothing is left to do, say so and end.';
const TASK = 'The task that it began with:';
const SAID = 'This was said to you in that run. You may not have seen it:';

/** Bytes of a task that are told again. */
const MAX_TASK = 32 * 1024;

/** A run ended by a limit, at this event: its process is ended, and another goes on as soon as it may start. */
export function endForLimit(sql: Sql, appender: Appender, seq: number): void {
  const { state } = appender;
  const { began } = newestRun(sql, seq);
  state.goOn = state.launch.inputs;
  state.goOnTask = taskOfWork(sql, seq);
  state.goOnRun = began;
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
  const { state, meta } = appender;
  const since = readInputs(sql, state.launch.epoch, state.goOn ?? 0)
    .map(({ line }) => JSON.parse(line) as AgentInput)
    .filter((input) => input.type === 'message' && input.from !== 'system');
  const content = goOnWords(sql, state, isPlain(meta));
  const message = { type: 'message', from: 'system', content } as const;
  appender.append('system', message);
  state.goOn = null;
  startNext(sql, state, [message, ...since]);
}

/** The process may have ended before it read what came during its run. One that keeps nothing itself is told its task too. */
function goOnWords(sql: Sql, state: ThreadState, plain: boolean): string {
  const { goOnRun, goOnTask, goOnUpTo } = state;
  if (goOnRun === undefined || goOnUpTo === undefined) return GO_ON;
  const task = plain ? (goOnTask ?? null) : null;
  const words = task === null ? null : messageAt(sql, task);
  const said = newestSaid(messagesBetween(sql, task ?? goOnRun, goOnUpTo));
  return [
    GO_ON,
    ...(words === null ? [] : [TASK, cut(words, MAX_TASK)]),
    ...(said === '' ? [] : [SAID, said]),
  ].join('\n\n');
}
