import { z } from 'zod';
import type { Sql } from '../storage/sql.ts';

/** What an agent was told or said, as its parent reads it. */
type Talk = { seq: number; role: 'user' | 'parent' | 'system' | 'agent'; text: string };

const MOST = 200;
const MOST_CHARACTERS = 256 * 1024;
/** Rows that are looked at: a thread may be of any length. */
const SCANNED = 5_000;

const Said = z.object({
  body: z.union([
    z.object({ type: z.literal('message'), content: z.string() }),
    z.object({ type: z.literal('text'), content: z.string() }),
    z.object({ type: z.enum(['done', 'handoff']), summary: z.string() }),
  ]),
});

type Row = { seq: number; source: string; json: string };

/** `upTo`: there is nothing more to read up to this seq. */
export type TalkPage = { messages: Talk[]; upTo: number };

/** The first of what was said after a seq; without one, the last. */
export function readTalk(sql: Sql, head: number, after: number | null): TalkPage {
  const from = after ?? Math.max(0, head - SCANNED);
  const order = after === null ? 'DESC' : 'ASC';
  const rows = sql.iterate<Row>(
    `SELECT seq, source, json FROM log
     WHERE seq > ? AND seq <= ? AND source IN ('user', 'parent', 'system', 'fap') ORDER BY seq ${order}`,
    from,
    from + SCANNED,
  );
  const talk: Talk[] = [];
  let size = 0;
  let whole = true;
  for (const row of rows) {
    const said = talkOf(row);
    if (said === null) continue;
    size += said.text.length;
    if (talk.length === MOST || size > MOST_CHARACTERS) {
      whole = false;
      break;
    }
    talk.push(said);
  }
  if (after === null) return { messages: talk.reverse(), upTo: head };
  const upTo = whole ? Math.min(head, from + SCANNED) : (talk.at(-1)?.seq ?? from);
  return { messages: talk, upTo };
}

function talkOf({ seq, source, json }: Row): Talk | null {
  const body = Said.safeParse(JSON.parse(json)).data?.body;
  if (body === undefined) return null;
  const role = source === 'user' || source === 'parent' || source === 'system' ? source : 'agent';
  return { seq, role, text: 'content' in body ? body.content : body.summary };
}
