import {
  addTokens,
  CF_SKY_VERSION,
  GatewayCall,
  GateResult,
  isVerified,
  NO_TOKENS,
  type Receipt,
  type RunId,
  type RunOutcome,
  type RunReceipt,
  type Source,
  type StepId,
  type ThreadId,
} from '@filepath/protocol';
import { NANO } from '../gateway/contract.ts';
import { first, type Sql } from '../storage/sql.ts';
import type { Hashing } from './hashing.ts';
import { bodyText } from './log-table.ts';
import type { OpenRun } from './state.ts';

/** sha256 over the bodies of the run's agent events as stored, each ended by a newline. */
function outputHash(sql: Sql, hashing: Hashing, from: number, to: number): string {
  const hash = hashing.stream();
  const rows = sql.iterate<{ json: string }>(
    `SELECT json FROM log WHERE seq > ? AND seq <= ? AND source = 'fap' ORDER BY seq`,
    from,
    to,
  );
  for (const { json } of rows) hash.update(`${bodyText(json)}\n`);
  return hash.digest();
}

/** What the gateway metered of a run. A call that was counted after an estimate is told twice: the last word holds. */
function metered(sql: Sql, run: RunId, from: number, to: number) {
  const calls = new Map<string, GatewayCall>();
  const rows = sql.iterate<{ json: string }>(
    `SELECT json FROM log WHERE seq > ? AND seq <= ? AND source = 'gateway' ORDER BY seq`,
    from,
    to,
  );
  for (const { json } of rows) {
    const event = JSON.parse(json) as { run: string | null; body: unknown };
    const body = GatewayCall.safeParse(event.body);
    if (event.run === run && body.success) calls.set(body.data.call, body.data);
  }
  const all = [...calls.values()];
  if (all.length === 0) return {};
  return {
    calls: all.length,
    tokens: all.reduce((sum, call) => addTokens(sum, call.tokens), NO_TOKENS),
    cost_usd: sumUsd(all.map((call) => call.costUsd)),
    estimated: all.some((call) => call.estimated),
  };
}

/** In whole billionths, as the ledger counts. */
function sumUsd(costs: readonly (number | null)[]): number | null {
  let nano = 0;
  for (const cost of costs) {
    if (cost === null) return null;
    nano += Math.round(cost * NANO);
  }
  return nano / NANO;
}

/** The model that the agent says it used; nothing where it says none. */
function saidModel(sql: Sql, from: number, to: number): string {
  const row = first<{ model: string | number | null }>(
    sql,
    `SELECT json_extract(json, '$.body.model') AS model FROM log WHERE seq > ? AND seq <= ? AND source = 'fap'
       AND json_extract(json, '$.body.type') = 'usage' ORDER BY seq DESC LIMIT 1`,
    from,
    to,
  );
  return typeof row?.model === 'string' ? row.model.slice(0, 256) : '';
}

export type RunEnd = {
  thread: ThreadId;
  model: string;
  /** Its program may use no model at all. */
  plain: boolean;
  run: OpenRun;
  outcome: RunOutcome;
  seq: number;
  at: string;
  source: Source;
  /** The event itself. */
  body: unknown;
};

export function storeRunEnd(sql: Sql, hashing: Hashing, end: RunEnd): void {
  const { run, outcome, seq, at } = end;
  const gate = gateOf(end);
  const used = metered(sql, run.id, run.startedSeq, seq);
  const isUsed = !end.plain || 'calls' in used;
  sql.run(
    'UPDATE runs SET ended_seq = ?, ended_at = ?, outcome = ? WHERE run = ?',
    seq,
    at,
    outcome,
    run.id,
  );
  storeReceipt(sql, run.id, seq, {
    type: 'receipt.run',
    cf_sky_version: CF_SKY_VERSION,
    thread_id: end.thread,
    run_id: run.id,
    input_hash: run.inputHash,
    output_hash: outputHash(sql, hashing, run.startedSeq, seq),
    model_config_id: isUsed ? end.model : saidModel(sql, run.startedSeq, seq),
    started_at: run.startedAt,
    completed_at: at,
    duration_ms: Date.parse(at) - Date.parse(run.startedAt),
    status: outcome,
    ended_by: seq,
    verified: isVerified(end.source) || gate !== null,
    events: run.events,
    ...used,
    ...(gate === null ? {} : { gate }),
  });
}

/** What the runner found, if that ended the run. A gate without a command has shown nothing. */
function gateOf({ source, body }: RunEnd): RunReceipt['gate'] | null {
  const result = source === 'system' ? GateResult.safeParse(body).data : undefined;
  if (result === undefined || result.checks.length === 0) return null;
  const { passed, commit, clean } = result;
  const checks = result.checks.map(({ tail: _tail, ...check }) => check);
  return { passed, commit, clean, checks };
}

export type ToolEnd = {
  thread: ThreadId;
  run: RunId | null;
  /** The event that ended it. */
  seq: number;
  step: StepId;
  name: string;
  argsHash: string;
  output: unknown;
  durationMs: number;
  status: 'completed' | 'error';
};

export function storeToolEnd(sql: Sql, hashing: Hashing, end: ToolEnd): void {
  storeReceipt(sql, end.run, end.seq, {
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

function storeReceipt(sql: Sql, run: RunId | null, seq: number, receipt: Receipt): void {
  sql.run(
    'INSERT INTO receipts (run, seq, body) VALUES (?, ?, ?)',
    run,
    seq,
    JSON.stringify(receipt),
  );
}
