import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addTokens,
  BudgetState,
  GatewayBody,
  type GatewayCall,
  type LogEvent,
  Node,
  NodeBudgetState,
  NO_TOKENS,
  Session,
  type TokenCounts,
  totalTokens,
  type UsageTotals,
} from '@filepath/protocol';
import {
  agentPids,
  type Api,
  follow,
  type Follower,
  type Instance,
  type ModelCall,
  scriptAgent,
} from '@filepath/testkit';
import { expect } from 'vitest';
import { z } from 'zod';

export const KEY = 'key-of-a-provider-0123456789';
/** Dollars for a token. Input is dearest where it is written to a cache. */
const PRICE = { input: 5e-6, output: 25e-6 };
const MODEL = 'anthropic/claude-opus-4.8';

/** What is asked of by an agent that calls its model once for each message. */
export type Asker = {
  readonly session: string;
  readonly node: string;
  readonly feed: Follower;
  /** A call whose answer may have so many tokens. */
  ask(tokens: number): Promise<number>;
  /** What it said of the calls that ended for it, in their order. */
  said(): string[];
};

export async function newAsker(
  instance: Instance,
  api: Api,
  budget?: { readonly usd: number },
): Promise<Asker> {
  const { session, node } = await api.json(
    z.object({ session: Session, node: Node }),
    'POST',
    '/api/session',
    { root: rootOf(budget) },
  );
  return askerOf(instance, api, session.id, node.id);
}

/** One below it, in the same session. */
export async function newChild(instance: Instance, api: Api, parent: Asker): Promise<Asker> {
  const path = `/api/session/${parent.session}/node`;
  const wish = { ...rootOf(), parentId: parent.node };
  const { node } = await api.json(z.object({ node: Node }), 'POST', path, wish);
  return askerOf(instance, api, parent.session, node.id);
}

const rootOf = (budget?: { readonly usd: number }) => ({
  agentType: 'custom',
  model: MODEL,
  config: scriptAgent('asker'),
  ...(budget ? { budget: { tokens: null, usd: budget.usd } } : {}),
});

function askerOf(instance: Instance, api: Api, session: string, node: string): Asker {
  const feed = follow(instance, node);
  return {
    session,
    node,
    feed,
    ask: (tokens) => api.message(node, String(tokens)),
    said: () =>
      feed.events.flatMap(({ source, body }) =>
        source === 'fap' ? [String(Reflect.get(Object(body), 'content'))] : [],
      ),
  };
}

/** The calls of a log, as they were told last. */
export function callsIn(events: readonly LogEvent[]): GatewayCall[] {
  const bodies = events.filter(({ source }) => source === 'gateway');
  const calls = bodies.flatMap(({ body }) => {
    const parsed = GatewayBody.parse(body);
    return parsed.type === 'call' ? [parsed] : [];
  });
  return [...new Map(calls.map((call) => [call.call, call])).values()];
}

/** What the user has used in all sessions. */
export async function userUsage(api: Api): Promise<BudgetState> {
  return api.json(BudgetState, 'GET', '/api/budget');
}

/** Everything that a call of this agent counts in. */
export async function booksOf(api: Api, { session, node }: Asker) {
  const path = `/api/session/${session}`;
  const [of, total] = await Promise.all([
    api.json(NodeBudgetState, 'GET', `${path}/node/${node}/budget`),
    api.json(BudgetState, 'GET', `${path}/budget`),
  ]);
  return { own: of.own, subtree: of, session: total };
}

/** Without a cost of its own it costs what its tokens cost. */
export type Used = Pick<UsageTotals, 'tokens' | 'calls' | 'estimated'> & {
  readonly costUsd?: number;
};

/** The use that a provider's own count comes down to. */
export function usedBy(calls: readonly ModelCall[]): Used {
  const counts = calls.map((call) => call.usage());
  expect(counts).not.toContain(null);
  return {
    tokens: counts.map((one) => one ?? NO_TOKENS).reduce(addTokens, NO_TOKENS),
    calls: calls.length,
    estimated: 0,
  };
}

const tokensOf = ({ tokens, calls, estimated }: Used): Used => ({ tokens, calls, estimated });
const NOTHING = { tokens: 0, usd: 0 };

/** Node, subtree, session: each has this use, what it costs, and nothing reserved. */
export async function expectBooks(api: Api, asker: Asker, used: Used): Promise<void> {
  const settled = async () => (await booksOf(api, asker)).session.reserved.tokens;
  await expect.poll(settled).toBe(0);
  for (const [, { usage, reserved }] of Object.entries(await booksOf(api, asker))) {
    expect({ usage, reserved }).toMatchObject({ usage: tokensOf(used), reserved: NOTHING });
    expect(usage.costUsd).toBeCloseTo(used.costUsd ?? costOf(used.tokens), 9);
  }
}

/** The user has used so much more than before, and has nothing reserved. */
export async function expectUser(api: Api, before: BudgetState, used: Used): Promise<void> {
  const more = async () => {
    const { usage, reserved } = await userUsage(api);
    return {
      calls: usage.calls - before.usage.calls,
      estimated: usage.estimated - before.usage.estimated,
      tokens: totalTokens(usage.tokens) - totalTokens(before.usage.tokens),
      reserved: reserved.tokens,
    };
  };
  const { calls, estimated } = used;
  await expect
    .poll(more)
    .toEqual({ calls, estimated, tokens: totalTokens(used.tokens), reserved: 0 });
}

function costOf({ input, output }: TokenCounts): number {
  return input * PRICE.input + output * PRICE.output;
}

/** The key of a running agent, as its process has it. */
export function keyOf({ node }: Asker): string {
  for (const pid of agentPids(node)) {
    const found = /FILEPATH_API_KEY=([^\0]+)/.exec(environmentOf(pid));
    if (found?.[1] !== undefined) return found[1];
  }
  throw new Error('no process of the agent has a key');
}

/** Nothing, of one that has ended meanwhile. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

/** What the worker says to the runner that shows this key for the agent: the status. */
export async function showKey(instance: Instance, asker: Asker, key: string): Promise<number> {
  const secrets: unknown = JSON.parse(readFileSync(join(instance.home, 'secrets.json'), 'utf8'));
  const { runnerToken } = z.object({ runnerToken: z.string() }).parse(secrets);
  const response = await fetch(`${instance.url}/gateway/v1/models`, {
    headers: {
      authorization: `Bearer ${key}`,
      connection: 'close',
      'x-filepath-runner-token': runnerToken,
      'x-filepath-session': asker.session,
      'x-filepath-thread': asker.node,
    },
  });
  await response.body?.cancel();
  return response.status;
}
