import {
  CF_SKY_VERSION,
  isVerified,
  type Receipt,
  type RunId,
  type RunOutcome,
  type Source,
  type StepId,
  type ThreadId,
} from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';
import type { Hashing } from './hashing.ts';
import type { OpenRun } from './state.ts';

const PAGE = 500;

/** sha256 over the run's agent events as stored, each ended by a newline. */
function outputHash(sql: Sql, hashing: Hashing, run: RunId, from: number): string {
  const hash = hashing.stream();
  for (let after = from; ; ) {
    const rows = sql.all<{ seq: number; body: string }>(
      `SELECT seq, body FROM log WHERE seq > ? AND run = ? AND source = 'fap' ORDER BY seq LIMIT ?`,
      after,
      run,
      PAGE,
    );
    for (const row of rows) hash.update(`${row.body}\n`);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return hash.digest();
    after = last.seq;
  }
}

export type RunEnd = {
  thread: ThreadId;
  model: string;
  run: OpenRun;
  outcome: RunOutcome;
  seq: number;
  at: string;
  source: Source;
};

export function storeRunEnd(sql: Sql, hashing: Hashing, end: RunEnd): void {
  const { run, outcome, seq, at } = end;
  sql.run(
    'UPDATE runs SET ended_seq = ?, ended_at = ?, outcome = ? WHERE run = ?',
    seq,
    at,
    outcome,
    run.id,
  );
  storeReceipt(sql, run.id, {
    type: 'receipt.run',
    cf_sky_version: CF_SKY_VERSION,
    thread_id: end.thread,
    run_id: run.id,
    input_hash: run.inputHash,
    output_hash: outputHash(sql, hashing, run.id, run.startedSeq),
    model_config_id: end.model,
    started_at: run.startedAt,
    completed_at: at,
    duration_ms: Date.parse(at) - Date.parse(run.startedAt),
    status: outcome,
    ended_by: seq,
    verified: isVerified(end.source),
    events: run.events,
  });
}

export type ToolEnd = {
  thread: ThreadId;
  run: RunId | null;
  step: StepId;
  name: string;
  argsHash: string;
  output: unknown;
  durationMs: number;
  status: 'completed' | 'error';
};

export function storeToolEnd(sql: Sql, hashing: Hashing, end: ToolEnd): void {
  storeReceipt(sql, end.run, {
    type: 'receipt.tool',
    cf_sky_version: CF_SKY_VERSION,
    thread_id: end.thread,
    run_id: end.run,
    step_id: end.step,
    tool_name: end.name,
    args_hash: end.argsHash,
    output_hash: hashing.sha256(JSON.stringify(end.output ?? null)),
    duration_ms: end.durationMs,
    status: end.status,
    verified: false,
  });
}

function storeReceipt(sql: Sql, run: RunId | null, receipt: Receipt): void {
  sql.run('INSERT INTO receipts (run, body) VALUES (?, ?)', run, JSON.stringify(receipt));
}
