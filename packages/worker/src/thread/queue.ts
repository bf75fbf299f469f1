import {
  Attachment,
  type Delivery,
  FilepathError,
  type InputLine,
  type MessageId,
  newMessageId,
  QUEUE_LIMITS,
  type QueueBody,
  QueuedMessage,
} from '@filepath/protocol';
import { notFound } from '../result.ts';
import { first, type Sql } from '../storage/sql.ts';
import type { Appender } from './appender.ts';
import { told } from './files.ts';
import { fits, give } from './give.ts';
import { isAtWork, type ThreadMeta, type ThreadState } from './state.ts';

type Row = { id: string; seq: number; at: string; content: string; attachments: string | null };

const COLUMNS = 'id, seq, at, content, attachments';

/** Whether a message of a person waits for the end of the open run. Null: as the agent takes messages. */
export function waitsInQueue(
  meta: ThreadMeta,
  state: ThreadState,
  deliver: Delivery | null,
): boolean {
  return (deliver ?? (meta.steers === false ? 'after' : 'now')) === 'after' && isAtWork(state);
}

export function readQueue(sql: Sql): QueuedMessage[] {
  return sql
    .all<Row>(`SELECT ${COLUMNS} FROM queue ORDER BY seq`)
    .map(({ attachments: _json, ...row }) => QueuedMessage.parse({ ...row, ...filesOf(_json) }));
}

export function enqueue(
  sql: Sql,
  appender: Appender,
  content: string,
  attachments: readonly Attachment[],
): number {
  const { state, meta, now } = appender;
  const bytes = sizeOf(content);
  const { messages, size } = total(sql);
  checkRoom(meta.name, messages + 1, size + bytes);
  const files = attachments.length === 0 ? {} : { attachments: [...attachments] };
  const body: QueueBody = { type: 'queued', id: newMessageId(), content, ...files };
  const seq = appender.append('user', body);
  sql.run(
    'INSERT INTO queue (id, seq, at, content, bytes, attachments) VALUES (?, ?, ?, ?, ?, ?)',
    body.id,
    seq,
    new Date(now).toISOString(),
    content,
    bytes,
    attachments.length === 0 ? null : JSON.stringify(attachments),
  );
  state.queued = messages + 1;
  return seq;
}

export function requeue(sql: Sql, appender: Appender, id: MessageId, content: string): number {
  const row = find(sql, id);
  // The same edit again is harmless.
  if (row.content === content) return appender.state.seq;
  const bytes = sizeOf(content);
  const { messages, size } = total(sql);
  checkRoom(appender.meta.name, messages, size - sizeOf(row.content) + bytes);
  const body: QueueBody = { type: 'requeued', id, content };
  sql.run('UPDATE queue SET content = ?, bytes = ? WHERE id = ?', content, bytes, id);
  return appender.append('user', body);
}

export function withdraw(sql: Sql, appender: Appender, id: MessageId): number {
  find(sql, id);
  remove(sql, appender.state, id);
  const body: QueueBody = { type: 'withdrawn', id };
  return appender.append('user', body);
}

/**
 * Gives the first message that waits to an agent that is free. It is called with every change, in its transaction: the
 * message leaves the queue together with the event that ended the run before.
 */
export function deliverQueued(sql: Sql, appender: Appender, before: ThreadState): InputLine[] {
  const { state } = appender;
  if ((state.queued ?? 0) === 0) return [];
  if (stands(state) && !stands(before)) {
    appender.append('system', { type: 'queue_stands', messages: state.queued });
  }
  const row = next(sql, state);
  if (row === null) return [];
  const { id, content } = row;
  const message = { type: 'message', from: 'user', content, ...filesOf(row.attachments) } as const;
  const input = told(message);
  if (!fits(sql, state.launch, input)) return [];
  remove(sql, state, id);
  state.wakes = undefined;
  appender.append('user', { ...message, queued: id });
  state.handoffs = 0;
  return give(sql, state, input);
}

/** The first; after a stop, the first that was said since. */
function next(sql: Sql, state: ThreadState): Row | null {
  const { wakes, launch, held } = state;
  const woken = wakes !== undefined && stands(state) && !launch.active && held === undefined;
  if (!woken && !isFree(state)) return null;
  const query = `SELECT ${COLUMNS} FROM queue WHERE seq >= ? ORDER BY seq LIMIT 1`;
  return first<Row>(sql, query, woken ? wakes : 0);
}

/** After a stop nothing goes by itself. */
const stands = ({ lifecycle }: ThreadState): boolean =>
  lifecycle.stopped || (!lifecycle.open && lifecycle.reason === 'stopped');

function isFree(state: ThreadState): boolean {
  const { launch, held, fresh = null, goOn = null } = state;
  if (isAtWork(state) || stands(state) || held !== undefined) return false;
  if (launch.active && launch.stopping) return false;
  // What this process has left, or a limit has ended, goes on first.
  return fresh !== launch.epoch && goOn === null;
}

/** As the row has them. */
function filesOf(json: string | null): { attachments?: Attachment[] } {
  return json === null ? {} : { attachments: Attachment.array().parse(JSON.parse(json)) };
}

function find(sql: Sql, id: MessageId): Row {
  const row = first<Row>(sql, `SELECT ${COLUMNS} FROM queue WHERE id = ?`, id);
  if (row === null) throw notFound('this message in the queue');
  return row;
}

function remove(sql: Sql, state: ThreadState, id: string): void {
  sql.run('DELETE FROM queue WHERE id = ?', id);
  state.queued = total(sql).messages;
}

function total(sql: Sql): { messages: number; size: number } {
  const row = first<{ messages: number; size: number | null }>(
    sql,
    'SELECT count(*) AS messages, sum(bytes) AS size FROM queue',
  );
  return { messages: row?.messages ?? 0, size: row?.size ?? 0 };
}

function checkRoom(name: string, messages: number, bytes: number): void {
  if (messages <= QUEUE_LIMITS.messages && bytes <= QUEUE_LIMITS.bytes) return;
  throw new FilepathError(
    'conflict',
    `the queue of ${name} is full (${QUEUE_LIMITS.messages} messages, ${QUEUE_LIMITS.bytes / 1024} KiB): withdraw one, or wait until one was delivered`,
  );
}

const sizeOf = (content: string): number => new TextEncoder().encode(content).length;
