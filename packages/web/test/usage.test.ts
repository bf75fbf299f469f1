import { NO_BUDGET, NO_TOKENS, NO_USAGE, type Node, type UsageTotals } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { money } from '../src/lib/text/format.ts';
import { callsWords, usedWords } from '../src/lib/text/usage.ts';

const used = (input: number, costUsd: number): UsageTotals => ({
  ...NO_USAGE,
  tokens: { ...NO_TOKENS, input },
  costUsd,
  calls: 1,
});

const words = (more: Partial<Node>): string[] =>
  usedWords({ tokens: 0, usage: NO_USAGE, subtree: NO_USAGE, budget: NO_BUDGET, ...more } as Node);

describe('what an agent used', () => {
  it('is not shown before its first call', () => {
    expect(words({})).toEqual([]);
  });

  it('is its own tokens and cost', () => {
    const own = { tokens: 1200, usage: used(1200, 0.04), subtree: used(5000, 1) };
    expect(words(own)).toEqual(['1.2k tok', '$0.04']);
  });

  it('is that of its subtree where a budget limits that', () => {
    const own = { tokens: 1200, usage: used(1200, 0.04), subtree: used(5000, 0.5) };
    expect(words({ ...own, budget: { tokens: null, usd: 1 } })).toEqual([
      '1.2k tok',
      '$0.50 of $1.00',
    ]);
    expect(words({ ...own, budget: { tokens: 10_000, usd: null } })).toEqual([
      '5.0k of 10k tok',
      '$0.04',
    ]);
  });

  it('has the calls of a run in one line', () => {
    const block = {
      kind: 'calls' as const,
      id: 'e1',
      seq: 1,
      at: '',
      verified: true,
      run: null,
      calls: 3,
      models: ['a', 'b'],
      tokens: { ...NO_TOKENS, input: 10, cacheRead: 1000, output: 7 },
      costUsd: 0.0123,
      estimated: true,
    };
    expect(callsWords(block)).toBe('3 calls · a, b · 1.0k in · 7 out · $0.01 · estimated');
    expect(callsWords({ ...block, calls: 1, costUsd: null, estimated: false })).toBe(
      'a, b · 1.0k in · 7 out · price unknown',
    );
  });
});

it('money is shown in cents, and small amounts so that something is seen', () => {
  expect([0, 0.5, 12.345, 0.0042, 0.000001].map(money)).toEqual([
    '$0.00',
    '$0.50',
    '$12.35',
    '$0.0042',
    '<$0.0001',
  ]);
});
