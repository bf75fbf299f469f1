import { env } from 'cloudflare:workers';
import {
  newCallId,
  NO_TOKENS,
  RunnerId,
  type SessionId,
  type ThreadId,
  type TokenCounts,
} from '@filepath/protocol';
import type { Ask, Outcome, Price } from '../../../src/gateway/contract.ts';
import { message } from './api.ts';
import type { TestRunner } from './runner.ts';

/** 1 dollar for a million tokens of input, 2 for output. */
const PRICE: Price = { input: 1000, output: 2000, cacheRead: 100, cacheWrite: 1250 };

/** An agent as the gateway sees it: it holds the key that its start order brought. */
export type Caller = {
  session: DurableObjectStub<import('../../../src/session/session-object.ts').SessionObject>;
  ask(more?: Partial<Ask>): Ask;
};

export async function callerOf(
  runner: TestRunner,
  session: SessionId,
  node: ThreadId,
): Promise<Caller> {
  await message(node);
  const order = await runner.order(node);
  if (order.kind !== 'start') throw new Error(`expected a start, not ${order.kind}`);
  return {
    session: env.SESSION.getByName(session),
    ask: (more = {}) => ({
      call: newCallId(),
      key: order.apiKey,
      runner: RunnerId.parse('rn_local'),
      thread: node,
      format: 'anthropic',
      provider: 'test',
      model: 'test/model',
      price: PRICE,
      inputBound: 1000,
      outputBound: 2000,
      ...more,
    }),
  };
}

export const ended = (counts: Partial<TokenCounts> | null): Outcome => ({
  outcome: counts === null ? 'cut' : 'completed',
  status: 200,
  firstByteMs: 1,
  durationMs: 5,
  tokens: counts && { ...NO_TOKENS, ...counts },
});
