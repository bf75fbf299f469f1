import { NodeEntry, Session, type SessionActivity } from '@filepath/protocol';
import { and, count, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Db } from './client.ts';
import { agentNode, agentSession } from './index-schema.ts';

const AT_WORK = sql<number>`sum(${agentNode.status} in ('thinking', 'running') or ${agentNode.reason} is 'queued')`;
const ROOTS_LEFT = sql<number>`sum(${agentNode.parentId} is null and ${agentNode.status} <> 'done')`;

function activityOf(row: {
  nodeCount: number;
  atWork: number | null;
  rootsLeft: number | null;
}): SessionActivity {
  if ((row.atWork ?? 0) > 0) return 'running';
  return row.nodeCount > 0 && row.rootsLeft === 0 ? 'done' : 'idle';
}

/** The user's sessions, the last changed first. */
export async function listSessions(db: Db, userId: string, limit = 500): Promise<Session[]> {
  const rows = await db
    .select({
      id: agentSession.id,
      name: agentSession.name,
      gitRepoUrl: agentSession.gitRepoUrl,
      status: agentSession.status,
      rootNodeId: agentSession.rootNodeId,
      nodeCount: count(agentNode.id),
      atWork: AT_WORK,
      rootsLeft: ROOTS_LEFT,
      createdAt: agentSession.createdAt,
      updatedAt: agentSession.updatedAt,
    })
    .from(agentSession)
    .leftJoin(agentNode, eq(agentNode.sessionId, agentSession.id))
    .where(eq(agentSession.userId, userId))
    .groupBy(agentSession.id)
    .orderBy(desc(agentSession.updatedAt), agentSession.id)
    .limit(limit);
  return rows.map(({ atWork, rootsLeft, ...row }) =>
    Session.parse({
      ...row,
      activity: activityOf({ nodeCount: row.nodeCount, atWork, rootsLeft }),
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    }),
  );
}

/** How many agents of the user are at work. */
export async function countWorking(db: Db, userId: string): Promise<number> {
  const found = await db
    .select({ n: count(agentNode.id) })
    .from(agentNode)
    .innerJoin(agentSession, eq(agentSession.id, agentNode.sessionId))
    .where(and(eq(agentSession.userId, userId), inArray(agentNode.status, ['thinking', 'running'])))
    .get();
  return found?.n ?? 0;
}

/** The user's agents of all sessions, the last changed first. */
export async function listNodes(db: Db, userId: string, limit = 2000): Promise<NodeEntry[]> {
  const rows = await db
    .select({
      id: agentNode.id,
      sessionId: agentNode.sessionId,
      sessionName: agentSession.name,
      parentId: agentNode.parentId,
      name: agentNode.name,
      agentType: agentNode.agentType,
      status: agentNode.status,
    })
    .from(agentNode)
    .innerJoin(agentSession, eq(agentSession.id, agentNode.sessionId))
    .where(eq(agentSession.userId, userId))
    .orderBy(desc(agentNode.updatedAt), agentNode.id)
    .limit(limit);
  return NodeEntry.array().parse(rows);
}
