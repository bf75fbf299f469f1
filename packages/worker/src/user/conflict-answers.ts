import type { ResolveBy, SessionId, ThreadId } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { unwrap } from '../result.ts';
import { LEAVE } from './waiting-states.ts';

/** Whose conflict it is. `key`: of the answer. */
type Whose = { session: SessionId; id: ThreadId; key: string };

const HAND: ReadonlyMap<string, ResolveBy> = new Map([
  ['hand to the agent', 'agent'],
  ['hand to its parent', 'parent'],
  ['hand to a new agent', 'new'],
]);

/** What a person chose for a conflict. Done twice it is harmless: so is a merge, and one that is handed is handed once. */
export async function answerConflict(
  env: Env,
  user: string,
  { session, id, key }: Whose,
  choice: string,
): Promise<void> {
  const object = env.SESSION.getByName(session);
  if (choice === LEAVE) {
    unwrap(await object.leaveConflict(user, id));
  } else if (choice === 'merge again') {
    const plan = unwrap(await object.mergeAgain(user, id));
    unwrap(await env.THREAD.getByName(id).merge(user, plan, { onConflict: 'tell' }, 0));
  } else {
    unwrap(await object.resolveConflict(user, id, HAND.get(choice) ?? 'agent', key));
  }
}
