import { type Node, type SessionId, WAITING } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';

export type AttentionItem = {
  thread: string;
  session: string;
  sessionName: string;
  name: string;
  status: string;
  reason: string | null;
  at: string;
};

/** The nodes of all sessions that wait for a person: those that failed, that have asked, and those without budget. */
export class Attention {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Replaces what is known of a session; telling it twice changes nothing. */
  update(session: SessionId, sessionName: string, nodes: readonly Node[]): void {
    const rows = nodes
      .filter(
        ({ status, reason, blocked }) =>
          status === 'error' || reason === WAITING || blocked !== null,
      )
      .map((node) => [
        node.id,
        node.name,
        node.status,
        node.blocked ?? node.reason,
        node.updatedAt,
      ]);
    this.#sql.transaction(() => {
      this.forget(session);
      this.#sql.run(
        `INSERT INTO attention (thread, session, session_name, name, status, reason, at)
         SELECT value ->> 0, ?, ?, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`,
        session,
        sessionName,
        JSON.stringify(rows),
      );
    });
  }

  forget(session: SessionId): void {
    this.#sql.run('DELETE FROM attention WHERE session = ?', session);
  }

  list(): AttentionItem[] {
    return this.#sql.all<AttentionItem>(
      `SELECT thread, session, session_name AS sessionName, name, status, reason, at
       FROM attention ORDER BY at DESC LIMIT 500`,
    );
  }
}
