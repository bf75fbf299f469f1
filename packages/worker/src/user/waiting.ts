import type { AttentionItem, Node, SessionId } from '@filepath/protocol';
import type { FeedItem, FeedSource } from '../feed/feed-source.ts';
import { first, type Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import type { AskedNote } from '../thread/asked.ts';
import { LeftAlone } from './left-alone.ts';
import { changeOf, itemOf, WAITING_COLUMNS, type WaitingRow } from './waiting-row.ts';
import { LEAVE, statesOf } from './waiting-states.ts';

/** Things that wait no more are remembered, so that a reader who was away hears of it. */
const KEPT_GONE = 1000;
const LISTED = 500;

export type Hash = (text: string) => string;

type Fresh = Omit<WaitingRow, 'seq' | 'open' | 'choice' | 'session_name'>;

/** What waits for one person, of all sessions, as a feed of states. Every method may be repeated. */
export class Waiting implements FeedSource {
  #sql: Sql;
  #hash: Hash;
  #left: LeftAlone;
  #touched: string[] = [];
  #cleared: FeedItem | null = null;

  constructor(sql: Sql, hash: Hash) {
    this.#sql = sql;
    this.#hash = hash;
    this.#left = new LeftAlone(sql);
  }

  list(): AttentionItem[] {
    return this.#all('WHERE open = 1 ORDER BY at DESC, seq DESC LIMIT ?', LISTED).map(itemOf);
  }

  find(id: string): WaitingRow | null {
    return this.#all('WHERE id = ?', id)[0] ?? null;
  }

  /** The states of a session's nodes, as they were at a time. What is not of its tree any more waits no more. */
  attend(session: SessionId, name: string, nodes: readonly Node[], at: string): void {
    this.#sql.transaction(() => {
      this.#sql.run('INSERT OR REPLACE INTO session_names VALUES (?, ?)', session, name);
      const fresh = nodes.flatMap((node) => this.#statesOf(session, node));
      const waits = new Set(fresh.map(({ id }) => id));
      const names = new Map<string, string>(nodes.map((node) => [node.id, node.name]));
      this.#left.keep(session, waits);
      for (const row of this.#all('WHERE session = ? AND open = 1', session)) {
        const over =
          row.question === null
            ? !waits.has(row.id)
            : // One that asked since then may be newer than this list of nodes.
              !names.has(row.thread) && row.at < at;
        if (over) this.#close(row, null);
        else this.#rename(row, names.get(row.thread) ?? row.name, name);
      }
      for (const one of fresh) this.#open(one, name);
      this.#prune();
    });
  }

  /** The questions of a thread that are open. An older word than the last one changes nothing. */
  asked({ thread, session, name, agentType, repository, seq, open, answered }: AskedNote): void {
    this.#sql.transaction(() => {
      const last = first<{ seq: number }>(
        this.#sql,
        'SELECT seq FROM asked WHERE thread = ?',
        thread,
      );
      if (last !== null && last.seq >= seq) return;
      this.#sql.run('INSERT OR REPLACE INTO asked VALUES (?, ?, ?)', thread, session, seq);
      const known = first<{ name: string }>(
        this.#sql,
        'SELECT name FROM session_names WHERE session = ?',
        session,
      );
      const fresh = open.map((one): Fresh => ({
        id: this.#idOf(thread, `question ${one.seq}`),
        mark: String(one.seq),
        kind: one.permission ? 'permission' : 'decision',
        thread,
        session,
        name,
        why: one.prompt,
        choices: JSON.stringify(one.options),
        hash: one.hash,
        at: one.at,
        question: one.id,
        equal: one.equal,
        agent_type: agentType,
        repository,
      }));
      const ids = new Set(fresh.map(({ id }) => id));
      for (const row of this.#all('WHERE thread = ? AND open = 1', thread)) {
        if (row.question === null || ids.has(row.id)) continue;
        this.#close(row, answered.find((one) => String(one.seq) === row.mark)?.choice ?? null);
      }
      for (const one of fresh) this.#open(one, known?.name ?? '');
      this.#prune();
    });
  }

  /** Questions that wait, equal to one and asked after it. */
  equalAfter({ equal, at }: WaitingRow): WaitingRow[] {
    if (equal === null) return [];
    return this.#all('WHERE open = 1 AND equal = ? AND at > ? ORDER BY seq', equal, at);
  }

  /** It was answered here. */
  answered(id: string, choice: string): void {
    const row = this.find(id);
    if (row === null) return;
    this.#sql.transaction(() => {
      this.#close(row, choice);
      if (choice === LEAVE && row.question === null) this.#left.add(row);
    });
  }

  forget(session: SessionId): void {
    this.#sql.transaction(() => {
      for (const row of this.#all('WHERE session = ? AND open = 1', session)) {
        this.#close(row, null);
      }
      this.#sql.run('DELETE FROM session_names WHERE session = ?', session);
      this.#sql.run('DELETE FROM asked WHERE session = ?', session);
      this.#left.keep(session, new Set());
    });
  }

  head(): number {
    return readValue<number>(this.#sql, 'head') ?? 0;
  }

  read(after: number, limit: number): FeedItem[] {
    const rows = this.#all('WHERE seq > ? ORDER BY seq LIMIT ?', after, limit).map(changeOf);
    const floor = readValue<number>(this.#sql, 'floor') ?? 0;
    return floor > after ? [reset(floor), ...rows].slice(0, limit) : rows;
  }

  /** What changed since this was last asked for, in order. */
  takeTouched(): FeedItem[] {
    const ids = new Set(this.#touched);
    this.#touched = [];
    const rows = [...ids].flatMap((id) => this.find(id) ?? []).map(changeOf);
    const items = this.#cleared === null ? rows : [this.#cleared, ...rows];
    this.#cleared = null;
    return items.sort((a, b) => a.seq - b.seq);
  }

  #statesOf(session: SessionId, node: Node): Fresh[] {
    return statesOf(node).map(({ kind, why, choices, mark }) => ({
      id: this.#idOf(node.id, kind),
      mark,
      kind,
      thread: node.id,
      session,
      name: node.name,
      why,
      choices: JSON.stringify(choices),
      hash: null,
      at: node.updatedAt,
      question: null,
      equal: null,
      agent_type: node.agentType,
      repository: null,
    }));
  }

  /** The same thing again changes nothing, also when it was answered since. */
  #open(fresh: Fresh, name: string): void {
    const known = this.find(fresh.id);
    if (known?.mark === fresh.mark || this.#left.has(fresh)) return;
    if (known?.open === 0 && known.question !== null) return;
    this.#write({ ...fresh, seq: 0, open: 1, choice: null, session_name: name });
  }

  #rename(row: WaitingRow, name: string, sessionName: string): void {
    if (row.name === name && row.session_name === sessionName) return;
    this.#write({ ...row, name, session_name: sessionName });
  }

  #close(row: WaitingRow, choice: string | null): void {
    this.#write({ ...row, open: 0, choice });
  }

  #write(row: WaitingRow): void {
    const seq = this.#next();
    const values = WAITING_COLUMNS.map((column) => (column === 'seq' ? seq : row[column]));
    this.#sql.run(
      `INSERT OR REPLACE INTO waiting (${WAITING_COLUMNS.join(', ')})
       VALUES (${WAITING_COLUMNS.map(() => '?').join(', ')})`,
      ...values,
    );
    this.#touched.push(row.id);
  }

  /** A reader who knows less than is remembered begins anew. */
  #prune(): void {
    const gone = first<{ n: number }>(
      this.#sql,
      'SELECT count(*) AS n FROM waiting WHERE open = 0',
    );
    if ((gone?.n ?? 0) <= KEPT_GONE) return;
    this.#sql.run('DELETE FROM waiting WHERE open = 0');
    const floor = this.#next();
    writeValue(this.#sql, 'floor', floor);
    this.#cleared = reset(floor);
    for (const row of this.#all('WHERE open = 1 ORDER BY seq')) this.#write(row);
  }

  #next(): number {
    const seq = this.head() + 1;
    writeValue(this.#sql, 'head', seq);
    return seq;
  }

  #idOf(thread: string, what: string): string {
    return this.#hash(`${thread} ${what}`).slice(0, 32);
  }

  #all(where: string, ...values: (string | number)[]): WaitingRow[] {
    return this.#sql.all<WaitingRow>(
      `SELECT ${WAITING_COLUMNS.join(', ')} FROM waiting ${where}`,
      ...values,
    );
  }
}

const reset = (seq: number): FeedItem => ({ seq, json: JSON.stringify({ seq, type: 'reset' }) });
