import {
  type AgentInput,
  gateMessage,
  type GateResult,
  type InputLine,
  type StopOrder,
} from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import type { Appender } from './appender.ts';
import { orderGate } from './jobs.ts';
import { addInput, orderStart } from './launch.ts';
import { putOutbox } from './outbox.ts';
import type { ThreadMeta } from './state.ts';

/** Orders the gate that the log waits for, once: the event that names its job is stored with the order. */
export function beginGate(sql: Sql, meta: ThreadMeta, appender: Appender, now: number): void {
  const { gate, failures } = appender.state.lifecycle;
  // A state that was stored before there were gates has none.
  if ((gate ?? null) === null || gate?.job !== null) return;
  const job = orderGate(sql, meta, appender.state, now);
  appender.append('system', { type: 'gate_begun', job, attempt: failures + 1 });
}

/** Ends the gates of epochs up to this one, whose process is gone. */
export function callOffGate(sql: Sql, meta: ThreadMeta, epoch: number): void {
  if (first(sql, `SELECT id FROM jobs WHERE type = 'gate' AND done = 0`) === null) return;
  const { thread } = meta;
  const order: StopOrder = { kind: 'stop', thread, epoch, graceMs: 0, inputs: [] };
  putOutbox(sql, `stop:${epoch}`, { kind: 'order', order });
}

/** A gate that failed goes back to the agent: to its process, or to a new one. */
export function tellFailure(
  sql: Sql,
  appender: Appender,
  result: GateResult,
  attempts: number,
): InputLine[] {
  const { state } = appender;
  // It is being ended at a limit: its exit ends the run.
  if (state.launch.active && state.launch.stopping) return [];
  const content = gateMessage(result, attempts - state.lifecycle.failures);
  const message: AgentInput = { type: 'message', from: 'system', wake: true, content };
  appender.append('system', message);
  if (state.launch.active) return [addInput(sql, state, message)];
  orderStart(sql, state, [message]);
  return [];
}
