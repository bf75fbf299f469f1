import {
  type AgentEvent,
  type DecisionCreate,
  DecisionEvent,
  FilepathError,
} from '@filepath/protocol';
import { z } from 'zod';
import { first, type Sql } from '../storage/sql.ts';
import { bodyText } from './log-table.ts';
import type { Launch } from './state.ts';

/** Notes what the process of an epoch has asked. The same id asked again is another question. */
export function noteQuestion(sql: Sql, id: string, epoch: number, seq: number): void {
  sql.run(
    'INSERT OR REPLACE INTO questions (id, epoch, seq, answer) VALUES (?, ?, ?, NULL)',
    id,
    epoch,
    seq,
  );
}

export function noteAnswer(sql: Sql, id: string, seq: number): void {
  sql.run('UPDATE questions SET answer = ? WHERE id = ?', seq, id);
}

type Question = { epoch: number; answer: number | null; json: string };

/** What was asked, if this answers it; a refusal that says why not otherwise. */
export function openQuestion(
  sql: Sql,
  launch: Launch,
  id: string,
  { choice, hash }: DecisionCreate,
): Extract<AgentEvent, { type: 'decision' }> {
  const asked = first<Question>(
    sql,
    `SELECT epoch, answer, log.json AS json FROM questions JOIN log USING (seq) WHERE id = ?`,
    id,
  );
  if (asked === null) throw new FilepathError('not_found', 'this was not asked');
  if (asked.answer !== null) throw answeredAlready(sql, asked.answer);
  if (asked.epoch !== launch.epoch || !launch.active || launch.stopping) {
    throw new FilepathError(
      'conflict',
      'the process that asked is gone: send a message to go on from there',
    );
  }
  const question = DecisionEvent.parse(JSON.parse(bodyText(asked.json)));
  if (hash !== undefined && hash !== question.hash) {
    throw new FilepathError('conflict', 'something else is asked now: look at it again');
  }
  if (!question.options.includes(choice)) {
    throw new FilepathError('bad_request', 'this is none of the options', [
      { path: 'choice', reason: `expected one of ${question.options.join(', ').slice(0, 500)}` },
    ]);
  }
  return question;
}

const Answer = z.looseObject({ choice: z.string() });

/** What a person or a rule chose, from the event that says so. */
export function choiceIn(json: string): string {
  return Answer.parse(JSON.parse(bodyText(json))).choice.slice(0, 500);
}

function answeredAlready(sql: Sql, seq: number): FilepathError {
  const row = first<{ json: string }>(sql, 'SELECT json FROM log WHERE seq = ?', seq);
  const how = row === null ? '' : `: the answer was ${choiceIn(row.json)}`;
  return new FilepathError('conflict', `this was answered already${how}`);
}
