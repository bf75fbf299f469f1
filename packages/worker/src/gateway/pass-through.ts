import { newCallId, type RunnerId, type ThreadId } from '@filepath/protocol';
import { inputBound, outputBound, priceFor, unknownOf } from './bounds.ts';
import type { BodyRoom } from './body/body-room.ts';
import type { Ask, Directory, Ledger, Upstream } from './contract.ts';
import { answerFree } from './free-call.ts';
import { type Incoming, readIncoming, type Target } from './incoming.ts';
import { MeteredCall } from './metered-call.ts';
import { providerError } from './provider-error.ts';
import { badKey, refusal } from './refusal.ts';
import type { Sender } from './send.ts';
import type { Ahead } from './standing.ts';
import type { Times } from './times.ts';

/** Who calls: what the runner says, and the key that the agent showed. */
export type AgentCaller = {
  readonly runner: RunnerId;
  readonly thread: ThreadId;
  readonly key: string;
};

export type Gateway = {
  readonly directory: Directory;
  readonly ledger: Ledger;
  readonly sender: Sender;
  /** Whether a call that begins now may be sent while it is reserved. */
  readonly ahead: () => Ahead;
  /** The list of models that are answered for here, as either provider gives it. */
  readonly models: () => Promise<unknown>;
  readonly times: Times;
  readonly room: BodyRoom;
  /** Keeps work going when the agent has gone away. */
  readonly keep: (work: Promise<void>) => void;
};

/** Answers a request of an agent: with the provider's answer, or with an error in the provider's words. */
export async function passThrough(
  gateway: Gateway,
  caller: AgentCaller,
  target: Target,
  request: Request,
): Promise<Response> {
  const answer = readAndAnswer(gateway, caller, target, request);
  // What is done for an agent that leaves would just stop, with the room of its body taken.
  gateway.keep(
    answer.then(
      () => undefined,
      () => undefined,
    ),
  );
  return answer;
}

async function readAndAnswer(
  gateway: Gateway,
  caller: AgentCaller,
  target: Target,
  request: Request,
): Promise<Response> {
  const incoming = await readIncoming(request, target, gateway);
  if ('problem' in incoming)
    return providerError(incoming.operation.format, incoming.problem, incoming.message);
  try {
    return await answerTo(gateway, caller, incoming);
  } finally {
    incoming.release();
  }
}

async function answerTo(
  gateway: Gateway,
  caller: AgentCaller,
  incoming: Incoming,
): Promise<Response> {
  const { directory, ledger } = gateway;
  const { operation, path, model } = incoming;
  const { format, kind } = operation;
  if (kind === 'free' && path === '/v1/models') {
    if (!(await isKnown(ledger, caller))) return badKey(format);
    return Response.json(await gateway.models());
  }
  const upstream = await directory.route(format, path, model);
  if ('refused' in upstream) {
    const known = await ledger.refused(askFor(caller, incoming, NOBODY), upstream);
    return known ? refusal(format, upstream) : badKey(format);
  }
  if (kind === 'free') {
    if (!(await isKnown(ledger, caller))) return badKey(format);
    return answerFree(gateway, incoming, upstream);
  }
  const call = new MeteredCall(gateway, askFor(caller, incoming, upstream), incoming, upstream);
  const answered = Promise.withResolvers<Response>();
  gateway.keep(call.run(answered.resolve).catch(answered.reject));
  return answered.promise;
}

const isKnown = (ledger: Ledger, { runner, thread, key }: AgentCaller): Promise<boolean> =>
  ledger.check({ runner, thread, key });

const NOBODY: Pick<Upstream, 'provider' | 'price' | 'maxOutput'> = {
  provider: '',
  price: null,
  maxOutput: null,
};

function askFor(
  { runner, thread, key }: AgentCaller,
  incoming: Incoming,
  { provider, price, maxOutput }: Pick<Upstream, 'provider' | 'price' | 'maxOutput'>,
): Ask {
  const { operation, bytes, body, model } = incoming;
  const unknown = unknownOf(operation, incoming);
  return {
    call: newCallId(),
    runner,
    thread,
    key,
    format: operation.format,
    provider,
    model,
    price: operation.priced && !unknown ? priceFor(price, body) : null,
    inputBound: inputBound(bytes.length, body),
    outputBound: outputBound(operation, body, { maxOutput, provider }),
    ...(unknown ? { unknown } : {}),
  };
}
