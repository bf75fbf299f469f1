import type { Budget, NodeCreate, SessionCreate } from '@filepath/protocol';
import type { Env } from '../env.ts';

/** A session that names no budget, and its first agent, have those that their owner set for such. */
export async function sessionWithDefaults(
  env: Env,
  user: string,
  create: SessionCreate,
): Promise<SessionCreate> {
  const { budget, root } = create;
  if (budget && (!root || root.budget)) return create;
  const { session, agent } = await env.USER.getByName(user).budgetDefaults();
  return {
    ...limited(create, session),
    ...(root && { root: limited(root, agent) }),
  };
}

export async function nodeWithDefaults(
  env: Env,
  user: string,
  create: NodeCreate,
): Promise<NodeCreate> {
  if (create.budget) return create;
  const { agent } = await env.USER.getByName(user).budgetDefaults();
  return limited(create, agent);
}

/** One that is named stays: also the one without a limit. */
function limited<T extends { budget?: Budget | undefined }>(create: T, budget: Budget): T {
  const none = budget.usd === null && budget.tokens === null;
  return create.budget || none ? create : { ...create, budget };
}
