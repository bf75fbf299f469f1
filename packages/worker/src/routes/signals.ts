import {
  type AgentState,
  FilepathError,
  type SessionId,
  type SignalCreate,
  type ThreadId,
} from '@filepath/protocol';
import type { Env } from '../env.ts';
import { unwrap } from '../result.ts';

/** Stop, pause and resume go down the tree, so the session carries them out; a handoff is for one process. */
export async function signalNode(
  env: Env,
  userId: string,
  session: SessionId,
  node: ThreadId,
  signal: SignalCreate,
): Promise<void> {
  if (signal.action === 'handoff') {
    unwrap(await env.THREAD.getByName(node).signal(userId, 'handoff'));
  } else await signalTree(env, userId, session, node, signal);
}

export async function signalSession(
  env: Env,
  userId: string,
  session: SessionId,
  signal: SignalCreate,
): Promise<void> {
  if (signal.action !== 'handoff') {
    await signalTree(env, userId, session, null, signal);
    return;
  }
  const { nodes } = unwrap(await env.SESSION.getByName(session).tree(userId));
  // At rest only the one that is named hands off.
  const meant = nodes.filter(({ status }) => isWorking(status));
  const results = await Promise.all(
    meant.map((node) => env.THREAD.getByName(node.id).signal(userId, 'handoff')),
  );
  if (nodes.length > 0 && results.every((result) => !result.ok)) {
    throw new FilepathError('conflict', 'no agent of this session is running');
  }
}

const isWorking = (status: AgentState): boolean => status === 'thinking' || status === 'running';

async function signalTree(
  env: Env,
  userId: string,
  session: SessionId,
  node: ThreadId | null,
  { action, reason, until }: SignalCreate,
): Promise<void> {
  const object = env.SESSION.getByName(session);
  if (action === 'stop') unwrap(await object.stop(userId, node));
  else if (action === 'pause') {
    const pause = { reason: reason ?? null, until: until ?? null };
    unwrap(await object.pause(userId, node, pause));
  } else unwrap(await object.resume(userId, node));
}

/** Spec 1's PATCH of a status, taken as the signal it means. */
export function actionOfStatus(status: string): Exclude<SignalCreate['action'], 'handoff'> {
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
