import type { Env } from '../env.ts';
import { BodyRoom } from './body/body-room.ts';
import { directoryOf } from './directory/directory.ts';
import { agentModels } from './models/list-models.ts';
import { answerOffline } from './offline/answer-offline.ts';
import { reached } from './reached.ts';
import type { GatewayFor } from './routes.ts';
import { type Outgoing, overHttp, type Sender } from './send.ts';
import { TIMES } from './times.ts';

const room = new BodyRoom();

const senderFor = ({ NETWORK }: Env): Sender =>
  overHttp(
    NETWORK ? (input, init) => NETWORK.fetch(input, init) : (input, init) => fetch(input, init),
    reached,
    offline,
  );

/** The gateway with its parts: the agent's session keeps the ledger. */
export const gatewayFor: GatewayFor = (env, { session }, ctx) => ({
  directory: directoryOf(env, ctx),
  ledger: env.SESSION.getByName(session),
  models: () => agentModels(env, ctx),
  sender: senderFor(env),
  times: TIMES,
  room,
  keep: (work) => ctx.waitUntil(work),
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
