import type { RunId } from '@filepath/protocol';
import { cutMiddle } from '@filepath/loop';
import { first, type Sql } from '../storage/sql.ts';
import { wordsOf } from '../user/memory/words.ts';
import { type Said as Message, wordsOf as wordsIn } from './context.ts';

export type SaidRow = {
  n: number;
  id: string;
  run: string | null;
  at: string;
  /** The message as the SDK keeps it. */
  json: string;
};

/** Of what is found by its words: messages, and characters of each and of all. */
const FOUND = 6;
const EACH = 400;
const ALL = 2_000;
/** Words of a question that are looked up. */
const WORDS = 32;
/** A word that so many messages have says nothing of one of them; the rarest of the others count. */
const COMMON = 400;
const RAREST = 8;

/** Everything that was said in a chat, also what the SDK has dropped from its transcript, with an index of its words. */
export class SaidTable {
  #sql: Sql;
  #now: () => number;

  constructor(sql: Sql, now: () => number) {
    this.#sql = sql;
    this.#now = now;
  }

  /**
   * Takes over the transcript, of which the SDK keeps the end: what stands there replaces what was there from its first
   * message on. `run` is the one that new answers are of.
   */
  follow(transcript: readonly Message[], run: RunId | null): void {
    const [head] = transcript;
    if (!head) return;
    this.#sql.transaction(() => {
      const from = this.#place(head.id);
      const rows =
        from === null
          ? []
          : this.#sql.all<SaidRow>('SELECT * FROM said WHERE n >= ? ORDER BY n', from);
      const texts = transcript.map((message) => JSON.stringify(message));
      let same = 0;
      while (same < rows.length && rows[same]?.json === texts[same]) same += 1;
      const known = new Map(rows.slice(same).map((row) => [row.id, row]));
      for (const { n } of known.values()) this.#delete(n);
      for (const [at, message] of transcript.entries()) {
        if (at < same) continue;
        const before = known.get(message.id);
        const opened = message.role === 'user' ? this.#openedBy(message.id) : null;
        this.add(message, {
          run: before?.run ?? opened?.run ?? (message.role === 'assistant' ? run : null),
          at: before?.at ?? opened?.started_at ?? new Date(this.#now()).toISOString(),
        });
      }
    });
  }

  add(message: Message, { run, at }: { run: string | null; at: string }): void {
    const old = this.#place(message.id);
    if (old !== null) this.#delete(old);
    this.#sql.run(
      'INSERT INTO said (id, run, at, json) VALUES (?, ?, ?, ?)',
      message.id,
      run,
      at,
      JSON.stringify(message),
    );
    const n = this.#place(message.id);
    this.#sql.run('INSERT INTO said_words (rowid, text) VALUES (?, ?)', n, wordsIn(message));
  }

  /** The run that a message opened, where it was taken over before. */
  opened(id: string, run: RunId): void {
    this.#sql.run('UPDATE said SET run = ? WHERE id = ? AND run IS NULL', run, id);
  }

  /** What was said before a message and fits the words of a question best, in the order in which it was said. Bounded. */
  recall(question: string, before: string | undefined): string {
    // What is not here yet is the question itself, and stands after all others.
    const end = before === undefined ? null : (this.#place(before) ?? this.last + 1);
    const match = end === null ? '' : this.#rarest(wordsOf(question).slice(0, WORDS));
    if (match === '') return '';
    const found = this.#sql.all<{ n: number; at: string; json: string }>(
      `SELECT n, at, json FROM said JOIN
         (SELECT rowid AS found FROM said_words WHERE said_words MATCH ? AND rowid < ? ORDER BY rank LIMIT ?)
       ON n = found ORDER BY n`,
      match,
      end,
      FOUND,
    );
    let room = ALL;
    const lines: string[] = [];
    for (const { at, json } of found) {
      const message = JSON.parse(json) as Message;
      const line = `${at.slice(0, 10)} ${message.role}: ${cutMiddle(wordsIn(message).replaceAll(/\s+/g, ' '), EACH)}`;
      room -= line.length + 1;
      if (room < 0) break;
      lines.push(line);
    }
    return lines.join('\n');
  }

  /** Rows after a place, up to another; at least one, then as many as fit. */
  page(after: number, upTo: number, chars: number): SaidRow[] {
    const rows: SaidRow[] = [];
    let room = chars;
    const query = 'SELECT * FROM said WHERE n > ? AND n <= ? ORDER BY n';
    for (const row of this.#sql.iterate<SaidRow>(query, after, upTo)) {
      rows.push(row);
      room -= row.json.length;
      if (room < 0) break;
    }
    return rows;
  }

  /** The last messages, oldest first, as the SDK keeps them. */
  tail(count: number): Message[] {
    const query = 'SELECT json FROM said ORDER BY n DESC LIMIT ?';
    return this.#sql
      .all<{ json: string }>(query, count)
      .map(({ json }) => JSON.parse(json) as Message)
      .toReversed();
  }

  get last(): number {
    return first<{ n: number | null }>(this.#sql, 'SELECT max(n) AS n FROM said')?.n ?? 0;
  }

  clear(): void {
    this.#sql.run('DELETE FROM said_words');
    this.#sql.run('DELETE FROM said');
  }

  /** Any of the words that few messages have. However many there are, little is read of a word that many have. */
  #rarest(words: readonly string[]): string {
    const query =
      'SELECT count(*) AS n FROM (SELECT 1 FROM said_words WHERE said_words MATCH ? LIMIT ?)';
    return words
      .map((word) => `"${word}"`)
      .map((word) => ({ word, n: first<{ n: number }>(this.#sql, query, word, COMMON)?.n ?? 0 }))
      .filter(({ n }) => n > 0 && n < COMMON)
      .toSorted((a, b) => a.n - b.n)
      .slice(0, RAREST)
      .map(({ word }) => word)
      .join(' OR ');
  }

  /** The first run of a message that was asked before it was taken over. */
  #openedBy(id: string): { run: string; started_at: string } | null {
    const query = 'SELECT run, started_at FROM runs WHERE message = ? ORDER BY started_seq LIMIT 1';
    return first<{ run: string; started_at: string }>(this.#sql, query, id);
  }

  #place(id: string): number | null {
    return first<{ n: number }>(this.#sql, 'SELECT n FROM said WHERE id = ?', id)?.n ?? null;
  }

  #delete(n: number): void {
    this.#sql.run('DELETE FROM said_words WHERE rowid = ?', n);
    this.#sql.run('DELETE FROM said WHERE n = ?', n);
  }
}
