import {
  encodeInput,
  type AgentInput,
  type FreezeOrder,
  type InputLine,
  type StartOrder,
  type StopOrder,
} from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import { putOutbox } from './outbox.ts';
import type { Launch, ThreadMeta, ThreadState } from './state.ts';

/** How long an agent has to end by itself after the stop signal. */
export const STOP_GRACE_MS = 2500;

/** Characters of input that may wait for an agent: a stop or a new start carries all of them in one order. */
export const MAX_BACKLOG = 512 * 1024;

/** Characters of input that the process has not got, or has not said anything since. */
export function backlog(sql: Sql, { epoch, heard }: Launch): number {
  const row = first<{ size: number | null }>(
    sql,
    'SELECT sum(length(line)) AS size FROM inputs WHERE epoch = ? AND (id > ? OR written = 0)',
    epoch,
    heard,
  );
  return row?.size ?? 0;
}

/** Adds a line to the stdin of the current epoch. */
export function addInput(sql: Sql, state: ThreadState, input: AgentInput): InputLine {
  const { launch } = state;
  launch.inputs += 1;
  const line = { id: launch.inputs, line: encodeInput(input) };
  sql.run(
    'INSERT INTO inputs (epoch, id, line) VALUES (?, ?, ?)',
    launch.epoch,
    line.id,
    line.line,
  );
  return line;
}

/** Inputs of an epoch with an id above `after`. */
export function readInputs(sql: Sql, epoch: number, after: number): InputLine[] {
  return sql.all<InputLine>(
    'SELECT id, line FROM inputs WHERE epoch = ? AND id > ? ORDER BY id',
    epoch,
    after,
  );
}

export function markWritten(sql: Sql, epoch: number, upTo: number): void {
  sql.run('UPDATE inputs SET written = 1 WHERE epoch = ? AND id <= ? AND written = 0', epoch, upTo);
}

/** Begins the next epoch with these inputs. The session is told of the wish with the transaction, and says when it may go. */
export function orderStart(sql: Sql, state: ThreadState, inputs: readonly AgentInput[]): void {
  const epoch = state.launch.epoch + 1;
  state.launch = {
    epoch,
    active: true,
    waits: true,
    stopping: false,
    offset: 0,
    observed: 0,
    inputs: 0,
    written: 0,
    heard: 0,
  };
  sql.run('DELETE FROM inputs WHERE epoch < ?', epoch);
  for (const input of inputs) addInput(sql, state, input);
  putOutbox(sql, 'wish', { kind: 'wish', note: { epoch, wants: true } });
}

/** The epoch that waited is ordered, with every input that came meanwhile. Its first message is its task. */
export function orderGo(sql: Sql, meta: ThreadMeta, state: ThreadState): void {
  const { epoch } = state.launch;
  state.launch.waits = false;
  const inputs = readInputs(sql, epoch, 0);
  const order: StartOrder = {
    kind: 'start',
    thread: meta.thread,
    session: meta.session,
    epoch,
    slug: meta.slug,
    agentType: meta.agentType,
    model: meta.model,
    config: meta.config,
    apiKey: meta.apiKey,
    task: messagesOf(inputs)[0] ?? '',
    gitRepoUrl: meta.gitRepoUrl,
    ...(meta.parent === undefined ? {} : { parent: meta.parent }),
    ...(meta.snapshot && { snapshot: meta.snapshot }),
    ...((state.fresh ?? null) !== null && { fresh: true }),
    inputs,
  };
  putOutbox(sql, `start:${epoch}`, { kind: 'order', order });
}

/** The epoch that waits is given up: it has no process, and never will. */
export function withdrawStart(sql: Sql, { launch }: ThreadState): void {
  launch.active = false;
  launch.waits = false;
  putOutbox(sql, 'wish', { kind: 'wish', note: { epoch: launch.epoch, wants: false } });
}

/** The messages in these inputs. */
function messagesOf(inputs: readonly InputLine[]): string[] {
  return inputs.flatMap(({ line }) => {
    const input = JSON.parse(line) as AgentInput;
    return input.type === 'message' ? [input.content] : [];
  });
}

/** `more.handoff`: another process takes its place. */
export function orderStop(
  sql: Sql,
  { thread }: Pick<ThreadMeta, 'thread'>,
  state: ThreadState,
  more: Pick<StopOrder, 'handoff'> = {},
): InputLine {
  const { launch } = state;
  launch.stopping = true;
  const signal = addInput(sql, state, { type: 'signal', action: 'stop' });
  const order: StopOrder = {
    kind: 'stop',
    thread,
    epoch: launch.epoch,
    graceMs: STOP_GRACE_MS,
    ...more,
    inputs: sql.all<InputLine>(
      'SELECT id, line FROM inputs WHERE epoch = ? AND written = 0 ORDER BY id',
      launch.epoch,
    ),
  };
  putOutbox(sql, `stop:${launch.epoch}`, { kind: 'order', order });
  return signal;
}

/** Ends a process at a limit: it is asked no more. */
export function orderEnd(sql: Sql, meta: ThreadMeta, state: ThreadState, limit: string): void {
  const { launch } = state;
  launch.stopping = true;
  const { thread } = meta;
  const { epoch } = launch;
  const order: StopOrder = { kind: 'stop', thread, epoch, graceMs: 0, inputs: [], limit };
  putOutbox(sql, `stop:${epoch}`, { kind: 'order', order });
}

/** Pause and resume: the process is held still, or goes on, whether it understands the signal or not. */
export function orderFreeze(
  sql: Sql,
  meta: ThreadMeta,
  { launch }: ThreadState,
  seq: number,
  frozen: boolean,
): void {
  const { thread } = meta;
  const order: FreezeOrder = { kind: 'freeze', thread, epoch: launch.epoch, seq, frozen };
  putOutbox(sql, `freeze:${launch.epoch}`, { kind: 'order', order });
}
