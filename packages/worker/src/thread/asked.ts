import { DecisionEvent } from '@filepath/protocol';
import { withoutCredentials } from '../session/repository-url.ts';
import type { Sql } from '../storage/sql.ts';
import type { Hashing } from './hashing.ts';
import { bodyText } from './log-table.ts';
import { choiceIn } from './questions.ts';
import type { ThreadMeta, ThreadState } from './state.ts';

const PROMPT = 4000;
/** Options that are more or longer than this are chosen in the thread. */
const OPTIONS = 32;
const OPTION = 500;

export type AskedQuestion = {
  id: string;
  /** Of the event that asked. */
  seq: number;
  prompt: string;
  options: string[];
  hash: string | null;
  permission: boolean;
  /** The same for questions that are equal in every word. */
  equal: string;
  at: string;
};

/** What a thread asks its owner. The whole of it, so that only the newest word counts. */
export type AskedNote = {
  thread: string;
  session: string;
  name: string;
  agentType: string;
  repository: string | null;
  /** Where the thread was. */
  seq: number;
  open: AskedQuestion[];
  /** What was asked at a seq, and what the answer was. */
  answered: { seq: number; choice: string }[];
};

/** The questions that are open, from what is stored. */
export function askedNote(
  sql: Sql,
  hashing: Hashing,
  meta: ThreadMeta,
  { lifecycle, launch, seq }: ThreadState,
): AskedNote {
  const rows = sql.all<{ id: string; seq: number; json: string }>(
    `SELECT id, seq, log.json AS json FROM questions JOIN log USING (seq)
     WHERE epoch = ? AND answer IS NULL ORDER BY seq DESC LIMIT 64`,
    launch.epoch,
  );
  const open = rows
    .filter(({ id }) => (lifecycle.questions ?? []).includes(id))
    .map((row): AskedQuestion => {
      const {
        prompt,
        options,
        hash = null,
        kind,
      } = DecisionEvent.parse(JSON.parse(bodyText(row.json)));
      const { at } = JSON.parse(row.json) as { at: string };
      const short = options.length <= OPTIONS && options.every((one) => one.length <= OPTION);
      return {
        id: row.id,
        seq: row.seq,
        prompt: prompt.slice(0, PROMPT),
        options: short ? options : [],
        hash,
        permission: kind === 'permission',
        equal: hashing.sha256(JSON.stringify([prompt, options, hash])),
        at,
      };
    });
  const answered = sql
    .all<{ seq: number; json: string }>(
      `SELECT questions.seq AS seq, log.json AS json FROM questions JOIN log ON log.seq = questions.answer
       WHERE epoch = ? ORDER BY answer DESC LIMIT 16`,
      launch.epoch,
    )
    .map((row) => ({ seq: row.seq, choice: choiceIn(row.json) }));
  const { thread, session, name, agentType, gitRepoUrl } = meta;
  const repository = gitRepoUrl === null ? null : withoutCredentials(gitRepoUrl);
  return { thread, session, name, agentType, repository, seq, open, answered };
}
