import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { damage, placeOf, refusalOf, sendError } from './faults.ts';
import type { Answer, Format } from './format.ts';
import type { ModelRequest } from './request.ts';
import type { Turn } from './turn.ts';

/** `faulted`: as the turn wanted it. `left`: the client went away before the end. */
export type Outcome = 'completed' | 'faulted' | 'left';

/**
 * Writes one answer. `signal` is aborted when the client has left; `told` is called as soon as the usage is on its
 * way.
 */
export async function writeAnswer(
  response: ServerResponse,
  format: Format,
  request: ModelRequest,
  answer: Answer,
  signal: AbortSignal,
  told: () => void,
): Promise<Outcome> {
  const { turn } = answer;
  const { fault } = turn;
  const refusal = refusalOf(fault, request.format);
  if (refusal) {
    if (turn.gate) await unless(signal, turn.gate.wait());
    sendError(response, format, refusal.error, refusal.headers);
    return 'faulted';
  }
  if (fault?.kind === 'reset') {
    response.socket?.resetAndDestroy();
    return 'faulted';
  }
  if (fault?.kind === 'hang') {
    await unless(signal, new Promise<never>(() => {}));
    return 'faulted';
  }
  const write = request.stream ? writeStream : writeWhole;
  await write(response, format, request, answer, signal, told);
  return fault ? 'faulted' : 'completed';
}

type Writer = (...of: Parameters<typeof writeAnswer>) => Promise<void>;

const writeStream: Writer = async (response, format, request, answer, signal, told) => {
  const { turn } = answer;
  const all = format.frames(answer, request.includeUsage);
  const { frames, end } = damage(all, turn.fault, format);
  const held = turn.gate ? placeOf(frames, turn.gate.after) : -1;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-request-id': `req_scripted_${answer.id}`,
  });
  response.flushHeaders();
  for (const [at, { text, usage }] of frames.entries()) {
    if (at === held) await hold(turn, signal);
    if (turn.dripMs) await sleep(turn.dripMs, undefined, { signal });
    if (!response.write(text)) await once(response, 'drain', { signal });
    if (usage) told();
  }
  if (held === frames.length) await hold(turn, signal);
  if (end === 'cut') response.socket?.destroySoon();
  else await finish(response, signal);
};

const writeWhole: Writer = async (response, format, _request, answer, signal, told) => {
  const { turn } = answer;
  const body = Buffer.from(JSON.stringify(format.whole(answer)));
  const broken = turn.fault && 'after' in turn.fault ? body.subarray(0, body.length / 2) : body;
  if (turn.gate) await hold(turn, signal);
  if (turn.dripMs) await sleep(turn.dripMs, undefined, { signal });
  const short = turn.fault?.kind === 'cut' ? body : broken;
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': short.length,
    'x-request-id': `req_scripted_${answer.id}`,
  });
  response.write(broken);
  if (turn.fault?.kind === 'cut') {
    response.socket?.destroySoon();
    return;
  }
  if (broken === body && answer.usage) told();
  await finish(response, signal);
};

async function hold(turn: Turn, signal: AbortSignal): Promise<void> {
  if (turn.gate) await unless(signal, turn.gate.wait());
}

async function finish(response: ServerResponse, signal: AbortSignal): Promise<void> {
  const finished = once(response, 'finish', { signal });
  response.end();
  await finished;
}

/** Waits, but not for a client that has left. */
export async function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const left = Promise.withResolvers<never>();
  const leave = (): void => left.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work, left.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
