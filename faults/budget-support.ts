import {
  addTokens,
  GatewayBody,
  type GatewayCall,
  type GatewayRefused,
  type LogEvent,
  Node,
  NO_TOKENS,
  Session,
  type TokenCounts,
} from '@filepath/protocol';
import { type Api, scriptAgent } from '@filepath/testkit';
import { z } from 'zod';

export const KEY = 'key-of-a-provider-0123456789';
/** 5 dollars for a million tokens of input, 25 for output. */
export const MODEL = 'anthropic/claude-opus-4.8';

/** An agent that makes so many calls, after it has asked for so many children like itself. */
export function caller(calls: number, children = 0, limit = 1024): string[] {
  return scriptAgent('caller', ...[calls, children, limit].map(String)).command;
}

/** A session whose agent calls a model, under a budget in dollars. */
export function newCaller(
  api: Api,
  usd: number,
  command: readonly string[],
): Promise<{ session: Session; node: Node }> {
  return api.json(z.object({ session: Session, node: Node }), 'POST', '/api/session', {
    root: {
      agentType: 'custom',
      model: MODEL,
      config: { command },
      budget: { tokens: null, usd },
    },
  });
}

const bodies = (events: readonly LogEvent[]): GatewayBody[] =>
  events.filter(({ source }) => source === 'gateway').map(({ body }) => GatewayBody.parse(body));

/** The calls of a log by their ids, as they were told last. */
export function callsIn(events: readonly LogEvent[]): Map<string, GatewayCall> {
  const calls = bodies(events).filter((body) => body.type === 'call');
  return new Map(calls.map((call) => [call.call, call]));
}

export const refusalsIn = (events: readonly LogEvent[]): GatewayRefused[] =>
  bodies(events).filter((body) => body.type === 'refused');

export const tokensOf = (calls: Iterable<GatewayCall>): TokenCounts =>
  [...calls].map(({ tokens }) => tokens).reduce(addTokens, NO_TOKENS);

/** What an agent says at its end: how many of its calls were answered, refused, explained, and failed. */
export function summaryOf(events: readonly LogEvent[]): number[] {
  const own = events.filter(({ source }) => source === 'fap');
  const said = own.map(({ body }) => JSON.stringify(body)).find((text) => /answered/.test(text));
  return [...(said ?? '').matchAll(/\d+/g)].map(Number);
}
