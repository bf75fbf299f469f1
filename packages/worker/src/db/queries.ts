import { Session } from '@filepath/protocol';
import { count, desc, eq } from 'drizzle-orm';
import type { Db } from './client.ts';
import { agentNode, agentSession } from './index-schema.ts';

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
      createdAt: agentSession.createdAt,
      updatedAt: agentSession.updatedAt,
    })
    .from(agentSession)
    .leftJoin(agentNode, eq(agentNode.sessionId, agentSession.id))
    .where(eq(agentSession.userId, userId))
    .groupBy(agentSession.id)
    .orderBy(desc(agentSession.updatedAt), agentSession.id)
    .limit(limit);
  return rows.map((row) =>
    Session.parse({
      ...row,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    }),
  );
}
