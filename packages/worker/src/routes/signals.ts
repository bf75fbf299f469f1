import {
  type AgentState,
  FilepathError,
  type SessionId,
  type SignalCreate,
  type ThreadId,
} from '@filepath/protocol';
import type { Env } from '../env.ts';
import { unwrap } from '../result.ts';

type Action = SignalCreate['action'];

/** Stop goes down the tree, so the session carries it out; the others are for one process. */
export async function signalNode(
  env: Env,
  userId: string,
  session: SessionId,
  node: ThreadId,
  action: Action,
): Promise<void> {
  if (action === 'stop') unwrap(await env.SESSION.getByName(session).stop(userId, node));
  else unwrap(await env.THREAD.getByName(node).signal(userId, action));
}

export async function signalSession(
  env: Env,
  userId: string,
  session: SessionId,
  action: Action,
): Promise<void> {
  const object = env.SESSION.getByName(session);
  if (action === 'stop') {
    unwrap(await object.stop(userId, null));
    return;
  }
  const { nodes } = unwrap(await object.tree(userId));
  // At rest only the one that is named hands off.
  const meant = nodes.filter(({ status }) => action !== 'handoff' || isWorking(status));
  const results = await Promise.all(
    meant.map((node) => env.THREAD.getByName(node.id).signal(userId, action)),
  );
  if (nodes.length > 0 && results.every((result) => !result.ok)) {
    throw new FilepathError('conflict', 'no agent of this session is running');
  }
}

const isWorking = (status: AgentState): boolean => status === 'thinking' || status === 'running';

/** Spec 1's PATCH of a status, taken as the signal it means. */
export function actionOfStatus(status: string): Action {
  switch (status) {
    case 'stop':
    case 'stopped':
      return 'stop';
    case 'pause':
    case 'paused':
      return 'pause';
    case 'resume':
    case 'resumed':
      return 'resume';
    default:
      throw new FilepathError(
        'conflict',
        'status comes from the log: it can be set to stop, pause or resume only',
      );
  }
}
