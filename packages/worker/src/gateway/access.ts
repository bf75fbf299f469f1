import type { RunnerId, SessionId, ThreadId } from '@filepath/protocol';
import { bearerOf, isSecret } from '../auth/secrets.ts';
import { LOCAL_RUNNER } from '../auth/authenticate.ts';
import type { Env } from '../env.ts';
import { readAgentKey } from '../session/agent-key.ts';

/** An agent as its request shows it. Whether the key is good, its session knows. */
export type Agent = {
  readonly runner: RunnerId;
  readonly thread: ThreadId;
  readonly session: SessionId;
  readonly key: string;
};

/**
 * The runner's word for who asks, and the agent's key; null unless both are there and speak of one node. The key
 * comes where either provider has it.
 */
export function agentOf(request: Request, env: Pick<Env, 'FILEPATH_RUNNER_TOKEN'>): Agent | null {
  const token = request.headers.get('x-filepath-runner-token') ?? '';
  if (!isSecret(token, env.FILEPATH_RUNNER_TOKEN)) return null;
  const keys = [bearerOf(request), request.headers.get('x-api-key')].filter(
    (key): key is string => key !== null && key.startsWith('fpk_'),
  );
  const [key] = keys;
  if (key === undefined || keys.some((other) => other !== key)) return null;
  const claim = readAgentKey(key);
  // A session that nobody has would come into being by being asked.
  const session = request.headers.get('x-filepath-session');
  const thread = request.headers.get('x-filepath-thread');
  if (claim?.node !== thread || claim.session !== session) return null;
  return { runner: LOCAL_RUNNER, thread: claim.node, session: claim.session, key };
}
