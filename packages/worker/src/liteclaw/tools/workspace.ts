import type { Files } from '@filepath/protocol/sky';
import { first, type Sql } from '../../storage/sql.ts';
import { readValue, writeValue } from '../../storage/values.ts';

export const WORKSPACE_TABLES = [
  'CREATE TABLE workspace (path TEXT PRIMARY KEY, text TEXT NOT NULL, bytes INTEGER NOT NULL)',
  'CREATE TABLE workspace_snapshots (sha256 TEXT PRIMARY KEY, files INTEGER NOT NULL, bytes INTEGER NOT NULL, at INTEGER NOT NULL)',
] as const;

const MOST = { files: 200, bytes: 2 * 1024 * 1024 };

type State = { generation: number; usedAt: number };
export type WorkspaceFile = { path: string; text: string };

const encoder = new TextEncoder();

/** The files of one chat, for as long as they are used. */
export class Workspace implements Files {
  #sql: Sql;
  #now: () => number;
  #ttlMs: number;

  constructor(sql: Sql, now: () => number, ttlMs: number) {
    this.#sql = sql;
    this.#now = now;
    this.#ttlMs = ttlMs;
  }

  /** Rises whenever the files become others at once. What was done before it is of other files. */
  get generation(): number {
    return this.#state().generation;
  }

  /** Null: it is empty. */
  get expiresAt(): number | null {
    return this.list().length === 0 ? null : this.#state().usedAt + this.#ttlMs;
  }

  get expired(): boolean {
    const at = this.expiresAt;
    return at !== null && at <= this.#now();
  }

  list(): { path: string; bytes: number }[] {
    return this.#sql.all('SELECT path, bytes FROM workspace ORDER BY path');
  }

  all(): WorkspaceFile[] {
    return this.#sql.all('SELECT path, text FROM workspace ORDER BY path');
  }

  get(path: string): string | null {
    this.#use();
    const query = 'SELECT text FROM workspace WHERE path = ?';
    return first<{ text: string }>(this.#sql, query, path)?.text ?? null;
  }

  put(path: string, text: string): string | null {
    return this.#sql.transaction(() => {
      const bytes = encoder.encode(text).length;
      const query =
        'SELECT count(*) AS files, coalesce(sum(bytes), 0) AS bytes FROM workspace WHERE path <> ?';
      const others = first<{ files: number; bytes: number }>(this.#sql, query, path);
      if ((others?.files ?? 0) >= MOST.files)
        return `The workspace has ${MOST.files} files already.`;
      if ((others?.bytes ?? 0) + bytes > MOST.bytes)
        return `The workspace would have more than ${MOST.bytes} bytes.`;
      this.#use();
      this.#sql.run(
        'INSERT INTO workspace VALUES (?, ?, ?) ON CONFLICT (path) DO UPDATE SET text = excluded.text, bytes = excluded.bytes',
        path,
        text,
        bytes,
      );
      return null;
    });
  }

  /** Other files take the place of all there are. */
  replace(files: readonly WorkspaceFile[]): void {
    this.#sql.transaction(() => {
      this.#sql.run('DELETE FROM workspace');
      const { generation } = this.#state();
      writeValue(this.#sql, 'workspace', { generation: generation + 1, usedAt: this.#now() });
      for (const { path, text } of files) this.put(path, text);
    });
  }

  /** The same files, which no call that was logged before tells of. Beyond any generation that was counted one by one. */
  renew(): void {
    const state = this.#state();
    const generation = Math.max(state.generation + 1, this.#now());
    writeValue(this.#sql, 'workspace', { ...state, generation });
  }

  /** Other files take the place of all there are. In words why they do not fit, or null. */
  become(files: readonly WorkspaceFile[]): string | null {
    const bytes = files.reduce((sum, { text }) => sum + encoder.encode(text).length, 0);
    if (files.length > MOST.files) return `The workspace would have more than ${MOST.files} files.`;
    if (bytes > MOST.bytes) return `The workspace would have more than ${MOST.bytes} bytes.`;
    this.replace(files);
    return null;
  }

  #use(): void {
    writeValue(this.#sql, 'workspace', { ...this.#state(), usedAt: this.#now() });
  }

  #state(): State {
    return readValue<State>(this.#sql, 'workspace') ?? { generation: 1, usedAt: this.#now() };
  }
}
