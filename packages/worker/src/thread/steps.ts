import { newStepId, type RunId, StepId, type ThreadId } from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import type { Hashing } from './hashing.ts';
import { storeToolEnd } from './receipts.ts';

type Work = Record<string, unknown>;
type Context = {
  sql: Sql;
  hashing: Hashing;
  thread: ThreadId;
  run: RunId | null;
  seq: number;
  now: number;
};

/**
 * The step of a `tool` or `command` event. `start` opens one; `done` or `error` with the same id (or, without
 * ids, the same words) ends it and leaves a receipt.
 */
export function stepOf(context: Context, body: Work): StepId | null {
  if (body['type'] !== 'tool' && body['type'] !== 'command') return null;
  const name = String(body['type'] === 'tool' ? body['name'] : body['cmd']);
  const { sql, hashing } = context;
  const key = hashing.sha256(JSON.stringify([body['type'], body['id'] ?? [name, body['path']]]));
  const argsHash = hashing.sha256(
    JSON.stringify([name, body['path'] ?? null, body['input'] ?? null]),
  );
  if (body['status'] === 'start') {
    const step = newStepId();
    sql.run(
      `INSERT INTO steps (key, step, at, args_hash) VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET step = excluded.step, at = excluded.at, args_hash = excluded.args_hash`,
      key,
      step,
      context.now,
      argsHash,
    );
    return step;
  }
  const open = first<{ step: string; at: number; args_hash: string }>(
    sql,
    'SELECT step, at, args_hash FROM steps WHERE key = ?',
    key,
  );
  if (open) sql.run('DELETE FROM steps WHERE key = ?', key);
  const step = open ? StepId.parse(open.step) : newStepId();
  const reported = body['durationMs'];
  storeToolEnd(sql, hashing, {
    thread: context.thread,
    run: context.run,
    seq: context.seq,
    step,
    name: name.slice(0, 256),
    argsHash: open?.args_hash ?? argsHash,
    output:
      body['type'] === 'tool'
        ? (body['output'] ?? null)
        : [body['exit'] ?? null, body['stdout'] ?? null, body['stderr'] ?? null],
    durationMs: typeof reported === 'number' ? reported : open ? context.now - open.at : 0,
    status: body['status'] === 'error' ? 'error' : 'completed',
  });
  return step;
}
