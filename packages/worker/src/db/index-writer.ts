import {
  maskConfig,
  type Node,
  type Session,
  type SessionId,
  type ThreadId,
} from '@filepath/protocol';
import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Db } from './client.ts';
import { agentNode, agentSession } from './index-schema.ts';

/** A bound value of D1 holds at most 2 MB; nodes are sent as JSON texts well below it. */
const CHUNK = 512 * 1024;
/** A larger configuration stays in its object alone. */
const MAX_CONFIG = 64 * 1024;

/**
 * Writes a session, its changed nodes and its deleted ones in one transaction. Writing the same state again
 * changes nothing; a row never moves to another user or session.
 */
export async function writeSessionIndex(
  db: Db,
  session: Session & { readonly userId: string },
  nodes: readonly Node[],
  deletedNodeIds: readonly ThreadId[],
): Promise<void> {
  const foreign = nodes.find((node) => node.sessionId !== session.id);
  if (foreign) throw new Error(`node ${foreign.id} is not of session ${session.id}`);
  await db.batch([
    upsertSession(db, session),
    ...chunks(nodes.map(rowOf)).map((rows) => upsertNodes(db, rows)),
    ...chunks(deletedNodeIds.map((id) => JSON.stringify(id))).map((ids) =>
      db
        .delete(agentNode)
        .where(
          and(
            eq(agentNode.sessionId, session.id),
            inArray(agentNode.id, sql`(select value from json_each(${ids}))`),
          ),
        ),
    ),
  ]);
}

/** Nodes go with their session. */
export async function deleteSessionIndex(db: Db, sessionId: SessionId): Promise<void> {
  await db.delete(agentSession).where(eq(agentSession.id, sessionId));
}

function upsertSession(db: Db, session: Session & { readonly userId: string }) {
  const row = {
    name: session.name,
    gitRepoUrl: session.gitRepoUrl,
    status: session.status,
    rootNodeId: session.rootNodeId,
    updatedAt: new Date(session.updatedAt),
  };
  return db
    .insert(agentSession)
    .values({
      ...row,
      id: session.id,
      userId: session.userId,
      createdAt: new Date(session.createdAt),
    })
    .onConflictDoUpdate({
      target: agentSession.id,
      set: row,
      setWhere: eq(agentSession.userId, session.userId),
    });
}

/** Columns that a later write leaves as they are. */
const FIXED = new Set(['id', 'sessionId', 'createdAt', 'containerId']);
const COLUMNS = Object.entries(getTableColumns(agentNode));

/** One bound value, however many nodes there are. */
function upsertNodes(db: Db, rows: string) {
  const values = COLUMNS.map(([key]) => sql.raw(`value->>'${key}'`));
  const changing = COLUMNS.filter(([key]) => !FIXED.has(key));
  return db
    .insert(agentNode)
    .select(sql`select ${sql.join(values, sql`, `)} from json_each(${rows}) where true`)
    .onConflictDoUpdate({
      target: agentNode.id,
      set: Object.fromEntries(
        changing.map(([key, column]) => [key, sql.raw(`excluded.${column.name}`)]),
      ),
      setWhere: sql`${agentNode.sessionId} = excluded.session_id`,
    });
}

/** One node as JSON; `config` is a text inside it, as its column holds it. */
function rowOf(node: Node): string {
  const config = JSON.stringify(maskConfig(node.config));
  return JSON.stringify({
    ...node,
    config: Buffer.byteLength(config) > MAX_CONFIG ? '{}' : config,
    createdAt: Date.parse(node.createdAt),
    updatedAt: Date.parse(node.updatedAt),
  });
}

/** Joins JSON texts into JSON arrays of at most CHUNK bytes; a single larger item is an array of its own. */
function chunks(items: readonly string[]): string[] {
  const out: string[] = [];
  let rows: string[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(item) + 1;
    if (rows.length > 0 && bytes + size > CHUNK) {
      out.push(`[${rows.join(',')}]`);
      rows = [];
      bytes = 0;
    }
    rows.push(item);
    bytes += size;
  }
  if (rows.length > 0) out.push(`[${rows.join(',')}]`);
  return out;
}
