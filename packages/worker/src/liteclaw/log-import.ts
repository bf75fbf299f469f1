import type { ChainPlace, LogEvent } from '@filepath/protocol';
import { type Receipt, skyEventOf, SkyPart } from '@filepath/protocol/sky';
import { z } from 'zod';
import type { Sql } from '../storage/sql.ts';
import type { Hashing } from '../thread/hashing.ts';
import { eventJson, insertEvents } from '../thread/log-table.ts';
import { freshState, inputOf, type SkyLogState, storeState } from './sky-log.ts';

/** Writes the rows of another log, in their order, in place of what was there. Inside one transaction. */
export class LogImport {
  #sql: Sql;
  #hashing: Hashing;
  #state: SkyLogState;
  /** What the next run answers. */
  #said = inputOf({ content: '' });

  constructor(sql: Sql, hashing: Hashing, after: ChainPlace) {
    this.#sql = sql;
    this.#hashing = hashing;
    this.#state = { ...freshState(), ...after, after };
    for (const table of ['log', 'runs', 'receipts']) sql.run(`DELETE FROM ${table}`);
  }

  event(row: LogEvent): void {
    const state = this.#state;
    const { seq, source, body, hash } = row;
    const json = eventJson(row, JSON.stringify(body), hash);
    insertEvents(this.#sql, [{ seq, source, json }]);
    state.seq = seq;
    state.hash = hash;
    if (row.run === null) state.loose = row.event;
    else if (state.run?.id === row.run) state.run.events = row.event;
    if (source === 'user') this.#said = inputIn(body);
    if (source === 'sky') this.#sky(row);
  }

  receipt(receipt: Receipt): void {
    const seq = receipt.type === 'receipt.run' ? receipt.ended_by : this.#state.seq;
    this.#sql.run(
      'INSERT INTO receipts (run, seq, body) VALUES (?, ?, ?)',
      receipt.run_id,
      seq,
      JSON.stringify(receipt),
    );
    if (receipt.type !== 'receipt.run') return;
    this.#sql.run(
      `UPDATE runs SET input_hash = ?, ended_seq = ?, ended_at = ?, outcome = ?, error_code = ? WHERE run = ?`,
      receipt.input_hash,
      seq,
      receipt.completed_at,
      receipt.status,
      receipt.error_code ?? null,
      receipt.run_id,
    );
  }

  /** From here on the log goes on. A run that was open when it was exported is open. */
  finish(): void {
    storeState(this.#sql, this.#state);
  }

  #sky(row: LogEvent): void {
    const state = this.#state;
    const reading = skyEventOf(row);
    if (!reading.ok || reading.event === null) return;
    const { event } = reading;
    if (event.type === 'run.completed' || event.type === 'run.error') state.run = null;
    if (event.type !== 'run.started') return;
    const { run_id: id, model_config_id: modelConfigId, message_id: message } = event;
    const inputHash = this.#hashing.sha256(this.#said);
    state.last = id;
    state.run = { id, events: row.event, startedAt: row.at, inputHash, modelConfigId };
    this.#sql.run(
      `INSERT OR IGNORE INTO runs (run, request, message, started_seq, started_at, input_hash, model_config_id)
       VALUES (?, '', ?, ?, ?, ?, ?)`,
      id,
      message ?? null,
      row.seq,
      row.at,
      inputHash,
      modelConfigId,
    );
  }
}

const Said = z.looseObject({ content: z.string(), files: z.array(SkyPart).optional() });

function inputIn(body: unknown): string {
  const { content, files } = Said.safeParse(body).data ?? { content: '' };
  return inputOf({ content, ...(files && { files }) });
}
