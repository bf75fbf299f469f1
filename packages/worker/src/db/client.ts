import { drizzle } from 'drizzle-orm/d1';
import type { Env } from '../env.ts';
import { account, session, sessionRelations, user, verification } from './auth-schema.ts';
import { apiToken, passkey } from './identity-schema.ts';
import { agentNode, agentSession, instanceKey, runner } from './index-schema.ts';
import { liteclawAccess } from './liteclaw-schema.ts';
import { provider } from './provider-schema.ts';

export const authTables = { user, session, account, verification };
const schema = {
  ...authTables,
  sessionRelations,
  agentSession,
  agentNode,
  runner,
  instanceKey,
  provider,
  apiToken,
  passkey,
  liteclawAccess,
};

export const openDb = (env: Pick<Env, 'DB'>) => drizzle(env.DB, { schema });
export type Db = ReturnType<typeof openDb>;
