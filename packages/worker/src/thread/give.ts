import { type AgentInput, encodeInput, FilepathError, type InputLine } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';
import { addInput, backlog, MAX_BACKLOG } from './launch.ts';
import { startNext } from './relay.ts';
import type { Launch, ThreadState } from './state.ts';

type Message = Extract<AgentInput, { type: 'message' }>;

/** To the running process, or to one that is ordered for it. */
export function give(sql: Sql, state: ThreadState, input: Message): InputLine[] {
  if (!state.launch.active) {
    startNext(sql, state, [input]);
    return [];
  }
  const line = addInput(sql, state, input);
  // One that hands off takes nothing more: the process after it does.
  return state.lifecycle.handing ? [] : [line];
}

/** Whether this input still fits to those that the process has not taken up. */
export function fits(sql: Sql, launch: Launch, input: AgentInput): boolean {
  const waiting = launch.active ? backlog(sql, launch) : 0;
  return waiting === 0 || waiting + encodeInput(input).length <= MAX_BACKLOG;
}

export function checkBacklog(sql: Sql, name: string, launch: Launch, input: AgentInput): void {
  if (fits(sql, launch, input)) return;
  throw new FilepathError(
    'conflict',
    `${name} has not taken up its last messages: send this one when it has`,
  );
}
