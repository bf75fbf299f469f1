import type { GatewayRefused } from '@filepath/protocol';
import { first, type Sql } from '../../storage/sql.ts';
import type { CallEvents } from './call-events.ts';

const SPAN_MS = 5000;
const MAX_SPAN_MS = 300_000;

type Repeat = {
  node: string;
  code: string;
  scope: string;
  until: number;
  span: number;
  count: number;
  body: string;
};

/**
 * Refusals on their way to a thread. The first is told at once; the same again is counted and told with its count,
 * after five seconds, then ten, and so on, so that an agent that keeps calling does not fill its log.
 */
export class Repeats {
  #sql: Sql;
  #events: CallEvents;

  constructor(sql: Sql, events: CallEvents) {
    this.#sql = sql;
    this.#events = events;
  }

  add(node: string, body: Omit<GatewayRefused, 'count'>, now: number): void {
    const at = [node, body.code, body.scope ?? ''] as const;
    const known = first<Repeat>(
      this.#sql,
      'SELECT * FROM repeats WHERE node = ? AND code = ? AND scope = ?',
      ...at,
    );
    if (known) {
      this.#sql.run(
        'UPDATE repeats SET count = count + 1, body = ? WHERE node = ? AND code = ? AND scope = ?',
        JSON.stringify(body),
        ...at,
      );
      return;
    }
    this.#tell(node, { ...body, count: 1 });
    this.#sql.run(
      `INSERT INTO repeats (node, code, scope, until, span, count, body) VALUES (?, ?, ?, ?, ?, 0, '')`,
      ...at,
      now + SPAN_MS,
      SPAN_MS,
    );
  }

  /** Tells what was counted, once its time has come; what was quiet for so long is over. */
  flush(now: number): void {
    const rows = this.#sql.all<Repeat>('SELECT * FROM repeats WHERE until <= ?', now);
    for (const { node, code, scope, span, count, body } of rows) {
      if (count === 0) {
        this.#sql.run(
          'DELETE FROM repeats WHERE node = ? AND code = ? AND scope = ?',
          node,
          code,
          scope,
        );
        continue;
      }
      this.#tell(node, { ...(JSON.parse(body) as Omit<GatewayRefused, 'count'>), count });
      const next = Math.min(span * 2, MAX_SPAN_MS);
      this.#sql.run(
        `UPDATE repeats SET count = 0, body = '', span = ?, until = ? WHERE node = ? AND code = ? AND scope = ?`,
        next,
        now + next,
        node,
        code,
        scope,
      );
    }
  }

  due(): number | null {
    return (
      first<{ at: number | null }>(this.#sql, 'SELECT min(until) AS at FROM repeats')?.at ?? null
    );
  }

  #tell(node: string, body: GatewayRefused): void {
    this.#events.put(node, `refused:${body.call}`, body);
  }
}
