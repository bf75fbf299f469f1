import type { RunOutcome } from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import type { ResultNote } from '../thread/outbox.ts';

export const RESULT_TABLES = [
  // How runs of children ended. told: their parent has it, or has read it, or is not to have it.
  `CREATE TABLE results (
     child TEXT NOT NULL, seq INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT, words TEXT, told INTEGER NOT NULL,
     PRIMARY KEY (child, seq))`,
  // What its parent has read of a child's thread, and the seq of what it said to the child last.
  `CREATE TABLE readings (child TEXT PRIMARY KEY, read INTEGER NOT NULL, sent INTEGER NOT NULL)`,
] as const;

export type ResultRow = {
  child: string;
  seq: number;
  outcome: RunOutcome;
  reason: string | null;
  words: string | null;
};

/** What parents are told of their children's ends, and what of it they know. */
export class Results {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** An end of a run, once however often it is told. Of each child the last one is kept. */
  note(child: string, { seq, outcome, reason, words }: ResultNote): void {
    if ((this.last(child)?.seq ?? 0) >= seq) return;
    const told = seq <= this.#reading(child).read ? 1 : 0;
    this.#sql.run('DELETE FROM results WHERE child = ? AND told = 1', child);
    this.#sql.run(
      'INSERT INTO results (child, seq, outcome, reason, words, told) VALUES (?, ?, ?, ?, ?, ?)',
      child,
      seq,
      outcome,
      reason,
      words,
      told,
    );
  }

  last(child: string): ResultRow | null {
    return first<ResultRow>(
      this.#sql,
      'SELECT * FROM results WHERE child = ? ORDER BY seq DESC LIMIT 1',
      child,
    );
  }

  /** The last end, if its parent knows of it: one that it does not is told by a message. */
  lastTold(child: string): ResultRow | null {
    const query = 'SELECT * FROM results WHERE child = ? ORDER BY seq DESC LIMIT 1';
    const row = first<ResultRow & { told: number }>(this.#sql, query, child);
    return row?.told === 1 ? row : null;
  }

  /** Ends that a parent is still to be told. A stop that is on its way to the parent comes first. */
  untold(): (ResultRow & { name: string; parent: string })[] {
    return this.#sql.all(
      `SELECT results.*, node.name AS name, parent.id AS parent
       FROM results JOIN nodes AS node ON node.id = results.child JOIN nodes AS parent ON parent.id = node.parent_id
       WHERE results.told = 0 AND node.phase = 'ready' AND parent.phase = 'ready' AND parent.halt IS NOT 0
       ORDER BY results.rowid`,
    );
  }

  /** An end of this child is still to be told. */
  owes(child: string): boolean {
    const query = 'SELECT 1 AS one FROM results WHERE child = ? AND told = 0 LIMIT 1';
    return first(this.#sql, query, child) !== null;
  }

  told(child: string, seq: number): void {
    this.#sql.run('UPDATE results SET told = 1 WHERE child = ? AND seq <= ?', child, seq);
  }

  /** The parent has read the child's thread up to here. */
  read(child: string, seq: number): void {
    this.#sql.run(
      `INSERT INTO readings (child, read, sent) VALUES (?, ?, 0)
       ON CONFLICT (child) DO UPDATE SET read = max(read, excluded.read)`,
      child,
      seq,
    );
    this.told(child, seq);
  }

  /** The parent has said something to the child, which stands at this seq. */
  sent(child: string, seq: number): void {
    this.#sql.run(
      `INSERT INTO readings (child, read, sent) VALUES (?, 0, ?)
       ON CONFLICT (child) DO UPDATE SET sent = max(sent, excluded.sent)`,
      child,
      seq,
    );
  }

  sentTo(child: string): number {
    return this.#reading(child).sent;
  }

  forget(child: string): void {
    this.#sql.run('DELETE FROM results WHERE child = ?', child);
    this.#sql.run('DELETE FROM readings WHERE child = ?', child);
  }

  #reading(child: string): { read: number; sent: number } {
    const query = 'SELECT read, sent FROM readings WHERE child = ?';
    return first(this.#sql, query, child) ?? { read: 0, sent: 0 };
  }
}

const HOW: Record<RunOutcome, string> = {
  completed: 'completed',
  error: 'it failed',
  lost: 'its process was lost',
  stopped: 'it was stopped',
  superseded: 'another message came',
  handoff: 'it handed off',
};

/** The message by which a parent learns of it. */
export function resultMessage(
  { id, name }: { id: string; name: string },
  { outcome, reason, words }: Pick<ResultRow, 'outcome' | 'reason' | 'words'>,
): string {
  const why = outcome === 'error' && reason !== null ? ` (${reason})` : '';
  return [
    `Your child ${name} has finished: ${HOW[outcome]}${why}.`,
    words === null ? 'It said nothing.' : `${WORDS}${words}`,
    `${ALL}, id ${id}.`,
  ].join('\n\n');
}

const WORDS = 'Its last words:\n';
const ALL = 'All that it said can be read with read_child_messages';

/** The child's own words in such a message; the whole of any other. */
export function wordsInResult(message: string): string {
  const [from, to] = [message.indexOf(WORDS), message.lastIndexOf(ALL)];
  if (to < 0) return message;
  return from < 0 ? '' : message.slice(from + WORDS.length, to).trim();
}
