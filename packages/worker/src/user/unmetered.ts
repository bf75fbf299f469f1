import { type AgentEntry, FilepathError, SessionId } from '@filepath/protocol';
import { and, eq, inArray } from 'drizzle-orm';
import { knownAgents } from '../catalog/known-agents.ts';
import { type Db, openDb } from '../db/client.ts';
import { agentNode, agentSession } from '../db/index-schema.ts';
import type { Env } from '../env.ts';
import { checkMetered } from '../session/admission.ts';

/** Refuses a budget in money for all sessions while an agent of one of them could spend past it. */
export async function refuseUnmetered(env: Env, userId: string): Promise<void> {
  const { entries } = await knownAgents(env);
  for (const id of await sessionsWith(openDb(env), userId, unmeteredTypes(entries))) {
    const tree = await env.SESSION.getByName(id).tree(userId);
    // One that is gone has no agents.
    if (!tree.ok) continue;
    const { session, nodes } = tree.value;
    for (const { name, agentType, config } of nodes) {
      try {
        checkMetered(agentType, config, true, entries);
      } catch (error) {
        if (!(error instanceof FilepathError)) throw error;
        throw new FilepathError(error.code, `${name} of ${session.name}: ${error.message}`);
      }
    }
  }
}

const unmeteredTypes = (entries: readonly AgentEntry[]): string[] =>
  entries.filter(({ metered }) => !metered).map(({ type }) => type);

/** The index finds them; what they are now their own objects say. */
async function sessionsWith(
  db: Db,
  userId: string,
  types: readonly string[],
): Promise<SessionId[]> {
  const rows = await db
    .selectDistinct({ id: agentSession.id })
    .from(agentNode)
    .innerJoin(agentSession, eq(agentSession.id, agentNode.sessionId))
    .where(and(eq(agentSession.userId, userId), inArray(agentNode.agentType, [...types])));
  return rows.map(({ id }) => SessionId.parse(id));
}
