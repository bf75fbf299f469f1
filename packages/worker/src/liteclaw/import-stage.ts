import { type ChainPlace, FilepathError, LogEvent, type ThreadId } from '@filepath/protocol';
import {
  Receipt,
  SkyExportHeader,
  type SkyExportSummary,
  SkyMemory,
  SkyMessage,
  toUiMessage,
} from '@filepath/protocol/sky';
import { first, type Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import type { Hashing } from '../thread/hashing.ts';
import { SUMMARY_CAP } from './context.ts';
import { LogImport } from './log-import.ts';
import type { ChatMemory } from './memory.ts';
import type { SaidTable } from './said.ts';
import type { SkyLog } from './sky-log.ts';

/** A line of an export that was read and found to be right; its body as JSON. */
export type StagedLine = { readonly n: number; readonly type: string; readonly json: string };

type Parts = {
  readonly sql: Sql;
  readonly hashing: Hashing;
  readonly thread: ThreadId;
  readonly log: SkyLog;
  readonly said: SaidTable;
  readonly memory: ChatMemory;
};

/** Lines that are taken over at once. */
const PAGE = 200;

/**
 * The lines of an export wait here until its end was found to be right; then all of them become the chat's, in one
 * transaction. An import that is begun later takes the place of one that did not end.
 */
export class ImportStage {
  #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(key: string): void {
    const { sql } = this.#parts;
    sql.transaction(() => {
      sql.run('DELETE FROM staged');
      writeValue(sql, 'import', key);
    });
  }

  add(key: string, lines: readonly StagedLine[]): void {
    const { sql } = this.#parts;
    sql.transaction(() => {
      this.#demand(key);
      for (const { n, type, json } of lines)
        sql.run('INSERT INTO staged (n, type, json) VALUES (?, ?, ?)', n, type, json);
    });
  }

  drop(key: string): void {
    const { sql } = this.#parts;
    if (readValue<string>(sql, 'import') !== key) return;
    sql.transaction(() => {
      sql.run('DELETE FROM staged');
      writeValue(sql, 'import', null);
    });
  }

  /** In the transaction of the caller. Gives the refs that its messages name. */
  finish(key: string, summary: SkyExportSummary): ReadonlySet<string> {
    const { sql, hashing, log, said, memory } = this.#parts;
    this.#demand(key);
    const count = first<{ n: number }>(sql, 'SELECT count(*) AS n FROM staged')?.n;
    // All but the end itself.
    if (count !== summary.lines - 1) throw cutOff();
    const header = SkyExportHeader.parse(this.#page(0, 1)[0]?.body);
    const after: ChainPlace = header.after;
    said.clear();
    memory.forget();
    const rows = new LogImport(sql, hashing, after);
    const refs = new Set<string>();
    for (let n = 1; ;) {
      const page = this.#page(n, PAGE);
      for (const { type, body } of page) {
        if (type === 'message') {
          const message = SkyMessage.parse(body);
          this.#message(message, header.exported_at);
          for (const part of message.content) if (part.type === 'ref') refs.add(part.ref);
        }
        if (type === 'event') rows.event(LogEvent.parse(body));
        if (type === 'receipt') rows.receipt(Receipt.parse(body));
        if (type === 'memory') this.#memory(SkyMemory.parse(body));
      }
      const last = page.at(-1);
      if (!last) break;
      ({ n } = last);
    }
    rows.finish();
    const { lines, head, key: signed_by } = summary;
    log.note({ type: 'import', lines, head, signed_by, exported_at: header.exported_at });
    this.drop(key);
    return refs;
  }

  #message(message: SkyMessage, exportedAt: string): void {
    const { said, thread } = this.#parts;
    const { run_id: run, created_at: at = exportedAt, ...rest } = message;
    said.add(toUiMessage({ ...rest, run_id: null }, { thread_id: thread }), { run, at });
  }

  #memory({ summary, through, updated_at: at }: SkyMemory): void {
    this.#parts.memory.set({ version: 1, summary: summary.slice(0, SUMMARY_CAP), through, at });
  }

  #page(after: number, limit: number): { n: number; type: string; body: unknown }[] {
    const query = 'SELECT n, type, json FROM staged WHERE n > ? ORDER BY n LIMIT ?';
    return this.#parts.sql
      .all<{ n: number; type: string; json: string }>(query, after, limit)
      .map(({ n, type, json }) => ({ n, type, body: JSON.parse(json) as unknown }));
  }

  #demand(key: string): void {
    if (readValue<string>(this.#parts.sql, 'import') !== key) throw cutOff();
  }
}

const cutOff = (): FilepathError =>
  new FilepathError('conflict', 'Another import of this chat has begun. Try again.');
