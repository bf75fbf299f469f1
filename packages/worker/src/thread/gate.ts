import {
  type AgentInput,
  asksForWork,
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
import { messageAt, messagesBetween, taskOfWork } from './relay-facts.ts';
import { cut, newestSaid } from './relay-message.ts';
import { isPlain, type ThreadMeta, type ThreadState } from './state.ts';

const TASK_BYTES = 8 * 1024;

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
  const { state, meta } = appender;
  // It is being ended at a limit: its exit ends the run.
  if (state.launch.active && state.launch.stopping) return [];
  const content = gateMessage(result, attempts - state.lifecycle.failures);
  const told: AgentInput = { type: 'message', from: 'system', wake: true, content };
  if (state.launch.active) {
    appender.append('system', told);
    return [addInput(sql, state, told)];
  }
  const message = withTask(sql, meta, state, told);
  appender.append('system', message);
  orderStart(sql, state, [message]);
  return [];
}

/** A new process of a plain agent knows nothing of the last one: what is left to do comes with what it was to do. */
export function withTask(
  sql: Sql,
  meta: ThreadMeta,
  { seq }: ThreadState,
  input: AgentInput,
): AgentInput {
  if (!isPlain(meta) || input.type !== 'message' || !asksForWork(input.content)) return input;
  const task = taskOfWork(sql, seq);
  if (task === null) return input;
  const since = newestSaid(messagesBetween(sql, task, seq));
  const parts = [
    input.content,
    `# The task\n\n${cut(messageAt(sql, task) ?? '', TASK_BYTES)}`,
    ...(since === '' ? [] : [`# What was said to you since\n\n${since}`]),
  ];
  return { ...input, content: parts.join('\n\n') };
}
