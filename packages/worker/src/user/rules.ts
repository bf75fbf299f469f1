import { FilepathError, Rule, type RuleScope } from '@filepath/protocol';
import { notFound } from '../result.ts';
import { first, type Sql } from '../storage/sql.ts';
import type { AskedNote, AskedQuestion } from '../thread/asked.ts';
import type { WaitingRow } from './waiting-row.ts';

const MOST = 500;
const PROMPT = 4000;

/** What a rule answers. */
export type Ruled = { id: string; choice: string; rule: string };

type Asking = Pick<AskedNote, 'thread' | 'session' | 'repository' | 'agentType'> & {
  readonly open: readonly Pick<AskedQuestion, 'id' | 'equal' | 'options' | 'permission'>[];
};

type Row = Omit<Rule, 'agentType'> & { agent_type: string };

/** Answers that a person gave for more than one question. They hold for equal questions of the same type of agent only. */
export class Rules {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  list(): Rule[] {
    return this.#sql
      .all<Row>(
        'SELECT id, scope, of, agent_type, prompt, hash, choice, at FROM rules ORDER BY at DESC, id',
      )
      .map(({ agent_type: agentType, ...row }) => Rule.parse({ ...row, agentType }));
  }

  /** Refuses before anything is answered. */
  check(scope: RuleScope, row: WaitingRow): void {
    if (row.kind !== 'permission') {
      throw new FilepathError('bad_request', 'only a permission can be given for more than once', [
        { path: 'scope', reason: `expected once: this is a ${row.kind}` },
      ]);
    }
    if (scope === 'repository' && row.repository === null) {
      throw new FilepathError('bad_request', 'this session has no repository', [
        { path: 'scope', reason: 'expected once, session or agent' },
      ]);
    }
    const count = first<{ n: number }>(this.#sql, 'SELECT count(*) AS n FROM rules');
    if ((count?.n ?? 0) >= MOST) {
      throw new FilepathError('conflict', `there are ${MOST} rules: remove some of them first`);
    }
  }

  /** The newest answer to equal questions takes the place of the one before. */
  add(id: string, scope: RuleScope, row: WaitingRow, choice: string, at: string): void {
    const of =
      scope === 'session' ? row.session : scope === 'agent' ? row.thread : (row.repository ?? '');
    this.#sql.transaction(() => {
      this.#sql.run(
        'DELETE FROM rules WHERE scope = ? AND of = ? AND agent_type = ? AND equal = ?',
        scope,
        of,
        row.agent_type,
        row.equal,
      );
      this.#sql.run(
        `INSERT INTO rules (id, scope, of, session, agent_type, equal, prompt, hash, choice, at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        scope,
        of,
        row.session,
        row.agent_type,
        row.equal,
        row.why.slice(0, PROMPT),
        row.hash,
        choice,
        at,
      );
    });
  }

  remove(id: string): void {
    if (first(this.#sql, 'SELECT id FROM rules WHERE id = ?', id) === null) {
      throw notFound('this rule');
    }
    this.#sql.run('DELETE FROM rules WHERE id = ?', id);
  }

  /** The answers to what a thread asks, the narrowest scope first. */
  answers({ thread, session, repository, agentType, open }: Asking): Ruled[] {
    return open
      .filter(({ permission }) => permission)
      .flatMap(({ id, equal, options }) => {
        const rule = first<{ id: string; choice: string }>(
          this.#sql,
          `SELECT id, choice FROM rules
           WHERE agent_type = ? AND equal = ? AND
             ((scope = 'agent' AND of = ?) OR (scope = 'session' AND of = ?) OR (scope = 'repository' AND of = ?))
           ORDER BY CASE scope WHEN 'agent' THEN 0 WHEN 'session' THEN 1 ELSE 2 END LIMIT 1`,
          agentType,
          equal,
          thread,
          session,
          repository,
        );
        if (rule === null || !options.includes(rule.choice)) return [];
        return [{ id, choice: rule.choice, rule: rule.id }];
      });
  }

  /** The same of a question that waits already. */
  answersWaiting(row: WaitingRow): Ruled[] {
    const { thread, session, repository, agent_type: agentType, question: id, equal } = row;
    if (id === null || equal === null || agentType === null) return [];
    const options = JSON.parse(row.choices) as string[];
    const permission = row.kind === 'permission';
    const open = [{ id, equal, options, permission }];
    return this.answers({ thread, session, repository, agentType, open });
  }

  /** What held for a session or its agents holds no more. */
  forget(session: string): void {
    this.#sql.run(`DELETE FROM rules WHERE session = ? AND scope <> 'repository'`, session);
  }
}
