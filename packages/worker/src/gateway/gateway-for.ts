import type { Env } from '../env.ts';
import { BodyRoom } from './body/body-room.ts';
import type { Ledger } from './contract.ts';
import { directoryOf } from './directory/directory.ts';
import type { Background } from './memory.ts';
import { agentModels } from './models/list-models.ts';
import { answerOffline } from './offline/answer-offline.ts';
import type { Gateway } from './pass-through.ts';
import { reached } from './reached.ts';
import type { GatewayFor } from './routes.ts';
import { type Outgoing, overHttp, type Sender } from './send.ts';
import { aheadOf, NEVER_AHEAD } from './standing.ts';
import { TIMES } from './times.ts';

const room = new BodyRoom();

/** An id is a hash of the name, which costs more than to look it up: agents call over and over. */
const ids = new Map<string, DurableObjectId>();
const MAX_IDS = 1024;

function idOf({ SESSION }: Env, session: string): DurableObjectId {
  const known = ids.get(session);
  if (known) return known;
  if (ids.size >= MAX_IDS) ids.clear();
  const id = SESSION.idFromName(session);
  ids.set(session, id);
  return id;
}

const senderFor = ({ NETWORK }: Env): Sender =>
  overHttp(
    NETWORK ? (input, init) => NETWORK.fetch(input, init) : (input, init) => fetch(input, init),
    reached,
    offline,
  );

/** The gateway with its parts: the agent's session keeps the ledger. */
export const gatewayFor: GatewayFor = (env, { session, key }, ctx) => ({
  ...gatewayOver(env, env.SESSION.get(idOf(env, session)), ctx),
  ahead: () => aheadOf(session, key),
});

/** The gateway over any ledger. */
export const gatewayOver = (
  env: Env,
  ledger: Ledger,
  background: Background,
  userId?: string,
): Gateway => ({
  directory: directoryOf(env, background, userId),
  ledger,
  models: () => agentModels(env, background, userId),
  sender: senderFor(env),
  ahead: () => NEVER_AHEAD,
  times: TIMES,
  room,
  keep: (work) => background.waitUntil(work),
});

/** The built-in model. It says itself what it does not understand. */
function offline({ format, path, bytes, stream }: Outgoing): Response {
  let body: unknown = null;
  try {
    body = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // It has no messages then.
  }
  return answerOffline({ format, path, body, stream });
}
