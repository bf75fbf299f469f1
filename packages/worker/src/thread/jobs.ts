import {
  FilepathError,
  type Gates,
  JobId,
  type JobOrder,
  type JobWork,
  newJobId,
  type SnapshotId,
  snapshotOfJob,
} from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import { putOutbox } from './outbox.ts';
import type { ThreadMeta, ThreadState } from './state.ts';

const MAX_OPEN = 8;

/** Stores a job and its order to the runner, in the caller's transaction. */
export function orderJob(
  sql: Sql,
  meta: ThreadMeta,
  { launch }: ThreadState,
  work: JobWork,
  now: number,
): JobId {
  if (launch.epoch === 0) {
    throw new FilepathError(
      'conflict',
      `${meta.name} has no workspace yet: send it a message first`,
    );
  }
  const open = first<{ n: number }>(sql, 'SELECT count(*) AS n FROM jobs WHERE done = 0');
  if ((open?.n ?? 0) >= MAX_OPEN) {
    throw new FilepathError(
      'conflict',
      `${meta.name} has ${MAX_OPEN} jobs that have not ended: wait for one of them`,
    );
  }
  return putJob(sql, meta, work, now);
}

type Tested = { epoch: number; gates?: Gates };

/** The gates of a start hold for all of its work, whatever is configured meanwhile. */
export function keepGates(sql: Sql, { config }: ThreadMeta, { launch }: ThreadState): void {
  const { gates } = config;
  const tested: Tested = { epoch: launch.epoch, ...(gates && { gates }) };
  writeValue(sql, 'tested', tested);
}

/** A gate is part of a run: it is ordered whatever else is. */
export function orderGate(sql: Sql, meta: ThreadMeta, { launch }: ThreadState, now: number): JobId {
  const kept = readValue<Tested>(sql, 'tested');
  // A start of an earlier version has kept none.
  const { gates } = kept?.epoch === launch.epoch ? kept : meta.config;
  const { envVars } = meta.config;
  return putJob(
    sql,
    meta,
    {
      type: 'gate',
      epoch: launch.epoch,
      inputs: launch.inputs,
      ...(gates === undefined ? {} : { gates }),
      ...(envVars === undefined ? {} : { envVars }),
    },
    now,
  );
}

function putJob(sql: Sql, meta: ThreadMeta, work: JobWork, now: number): JobId {
  const { thread, slug } = meta;
  const order: JobOrder = { kind: 'job', id: newJobId(), thread, slug, do: work };
  sql.run('INSERT INTO jobs (id, type, at) VALUES (?, ?, ?)', order.id, work.type, now);
  putOutbox(sql, `job:${order.id}`, { kind: 'order', order });
  return order.id;
}

/** Whether this thread waits for the job's end. */
export function isOpen(sql: Sql, job: JobId): boolean {
  return first(sql, 'SELECT id FROM jobs WHERE id = ? AND done = 0', job) !== null;
}

/** Whether a job that has not ended makes this snapshot. */
export function makesSnapshot(sql: Sql, snapshot: SnapshotId): boolean {
  return sql
    .all<{ id: string }>(`SELECT id FROM jobs WHERE type = 'snapshot' AND done = 0`)
    .some(({ id }) => snapshotOfJob(JobId.parse(id)) === snapshot);
}

export function endJob(sql: Sql, job: JobId): void {
  sql.run('UPDATE jobs SET done = 1 WHERE id = ?', job);
}
