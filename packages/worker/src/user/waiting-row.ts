import {
  type AttentionChange,
  AttentionItem,
  type AttentionKind,
  type RuleScope,
} from '@filepath/protocol';
import type { FeedItem } from '../feed/feed-source.ts';

/** One thing that waits, or waited, for the person. */
export type WaitingRow = {
  id: string;
  seq: number;
  open: number;
  /** What was answered, where that is known. */
  choice: string | null;
  /** By what the same thing is known again. */
  mark: string;
  kind: AttentionKind;
  thread: string;
  session: string;
  session_name: string;
  name: string;
  why: string;
  choices: string;
  hash: string | null;
  at: string;
  /** Of a question: its id in the thread, and what an equal one has in common with it. */
  question: string | null;
  equal: string | null;
  agent_type: string | null;
  repository: string | null;
};

export const WAITING_COLUMNS = [
  'id',
  'seq',
  'open',
  'choice',
  'mark',
  'kind',
  'thread',
  'session',
  'session_name',
  'name',
  'why',
  'choices',
  'hash',
  'at',
  'question',
  'equal',
  'agent_type',
  'repository',
] as const satisfies readonly (keyof WaitingRow)[];

export function itemOf(row: WaitingRow): AttentionItem {
  const { id, kind, thread, session, name, why, hash, at } = row;
  return AttentionItem.parse({
    id,
    kind,
    thread,
    session,
    sessionName: row.session_name,
    name,
    why,
    choices: JSON.parse(row.choices),
    hash,
    ...(kind === 'permission' ? { scopes: scopesOf(row) } : {}),
    at,
  });
}

/** What a rule can be of. */
const scopesOf = ({ repository }: WaitingRow): RuleScope[] =>
  repository === null ? ['agent', 'session'] : ['agent', 'session', 'repository'];

export function changeOf(row: WaitingRow): FeedItem {
  const { seq, id, choice } = row;
  const change: AttentionChange =
    row.open === 1 ? { seq, type: 'item', item: itemOf(row) } : { seq, type: 'gone', id, choice };
  return { seq, json: JSON.stringify(change) };
}
