import { type CallId, NO_TOKENS, type ThreadId } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../../src/gateway/contract.ts';
import { takenOf } from '../../../src/session/ledger/accounts.ts';
import { costOf } from '../../../src/session/ledger/money.ts';
import { amountOf } from '../../../src/session/ledger/usage-row.ts';
import { ended, newTree, PRICE, type TestTree, tokens } from '../support/ledgers.ts';

const budget = fc.record({
  tokens: fc.option(fc.integer({ min: 0, max: 60_000 })),
  usd: fc.option(fc.integer({ min: 0, max: 100 }).map((n) => n / 1000)),
});

const step = fc.oneof(
  fc.record({
    do: fc.constant('reserve' as const),
    node: fc.nat(),
    input: fc.integer({ min: 0, max: 6000 }),
    output: fc.integer({ min: 0, max: 6000 }),
  }),
  fc.record({ do: fc.constant('settle' as const), call: fc.nat(), part: fc.option(fc.nat(100)) }),
  fc.record({ do: fc.constant('renew' as const), call: fc.nat() }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: LEASE_MS }) }),
  fc.record({ do: fc.constant('delete' as const), node: fc.nat() }),
);

const tree = fc.array(fc.record({ parent: fc.nat(), budget: fc.option(budget) }), {
  minLength: 1,
  maxLength: 7,
});

type Made = { call: CallId; node: ThreadId; input: number; output: number };

function expectWithin({ accounts }: TestTree): void {
  for (const account of accounts.all().values()) {
    const taken = takenOf(account);
    expect(account.held_tokens).toBeGreaterThanOrEqual(0);
    expect(account.held_nano).toBeGreaterThanOrEqual(0);
    if (account.limit_tokens !== null)
      expect(taken.tokens).toBeLessThanOrEqual(account.limit_tokens);
    if (account.limit_nano !== null) expect(taken.nano).toBeLessThanOrEqual(account.limit_nano);
  }
}

describe('a tree of budgets', () => {
  it('[LED17] is never exceeded, and its totals are the sum of its calls, whatever happens in which order', () => {
    fc.assert(
      fc.property(tree, budget, fc.array(step, { maxLength: 45 }), (shape, whole, steps) => {
        const made = newTree();
        const nodes: ThreadId[] = [];
        for (const { parent, budget: own } of shape) {
          const above = nodes[parent % (nodes.length + 1)] ?? null;
          nodes.push(made.add(above, own ?? undefined));
        }
        const { tokens: limit, usd } = whole;
        made.accounts.limit('session', { tokens: limit, nano: usd === null ? null : usd * 1e9 });
        const calls: Made[] = [];
        const settled = new Map<CallId, number>();
        for (const one of steps) {
          if (one.do === 'reserve') {
            const node = nodes[one.node % nodes.length];
            if (!node) continue;
            const { input, output } = one;
            const { call, grant } = made.reserve(node, { inputBound: input, outputBound: output });
            if (!grant.ok) continue;
            expect(grant.outputBound).toBeLessThanOrEqual(output);
            expect(grant.outputBound).toBeGreaterThanOrEqual(Math.min(1024, output));
            calls.push({ call, node, input, output: grant.outputBound });
          } else if (one.do === 'wait') {
            made.clock.now += one.ms;
            made.ledger.expire();
          } else if (one.do === 'delete') {
            const node = nodes[one.node % nodes.length];
            if (node && made.session.nodes.find(node)) made.session.drop(node);
          } else {
            const which = calls[one.call % Math.max(1, calls.length)];
            if (!which) continue;
            if (one.do === 'renew') made.ledger.renew(which.call);
            else made.ledger.settle(which.call, ended(usedOf(which, one.part)));
          }
          expectWithin(made);
        }
        made.clock.now += LEASE_MS;
        made.ledger.expire();
        for (const node of nodes) {
          for (const body of made.told(node)) {
            if (body.type === 'call') settled.set(body.call, costOf(PRICE, body.tokens));
          }
        }
        const total = made.accounts.get('session');
        expect(total.held_tokens).toBe(0);
        expect(total.calls).toBe(calls.length);
        expect(settled.size).toBe(calls.length);
        const own = nodes.map((node) => amountOf(made.accounts.get(`own:${node}`)));
        expect(amountOf(total).tokens).toBe(own.reduce((sum, { tokens: n }) => sum + n, 0));
        expect(amountOf(total).nano).toBe(own.reduce((sum, { nano }) => sum + nano, 0));
      }),
      { numRuns: 100 },
    );
  });

  it('[LED17] lets 20 parallel calls at the last cent spend at most that cent', () => {
    const made = newTree();
    const root = made.add(null, { tokens: null, usd: 0.01 });
    const children = Array.from({ length: 20 }, () => made.add(root));
    const grants = children.map((node) => ({ node, ...made.reserve(node, { outputBound: 1024 }) }));
    const open = grants.filter(({ grant }) => grant.ok);
    expect(open).toHaveLength(3);
    for (const { call } of open) made.ledger.settle(call, ended({ input: 1000, output: 1024 }));
    expect(made.node(root).subtree.costUsd).toBeLessThanOrEqual(0.01);
    for (const { node, grant } of grants) {
      if (!grant.ok) expect(made.told(node)).toMatchObject([{ type: 'refused', code: 'budget' }]);
    }
  });
});

/** Null: nobody could count it. */
function usedOf({ input, output }: Made, part: number | null) {
  if (part === null) return null;
  const cacheRead = Math.floor(input / 3);
  const used = { input: input - cacheRead, cacheRead, output: Math.floor((output * part) / 100) };
  return { ...tokens(NO_TOKENS), ...used };
}
