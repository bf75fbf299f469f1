import { expect, it } from 'vitest';
import { endOf } from '../../src/codex/ends.ts';

const failed = (codexErrorInfo: string) => ({
  threadId: 't',
  turn: { id: 'u', status: 'failed', error: { message: 'Usage limit.', codexErrorInfo } },
});
const window = (usedPercent: number, resetsAt: number) => ({ usedPercent, resetsAt });

it('[DRV12] a usage limit ends with the time at which the window is over that is used up', () => {
  const limits = {
    rateLimits: { primary: window(40, 4_000_000_000), secondary: window(100, 4_100_000_000) },
  };
  expect(endOf(failed('usageLimitExceeded'), limits)).toEqual({
    how: 'failed',
    reason: 'rate limited: Usage limit.',
    until: new Date(4_100_000_000_000).toISOString(),
  });
  expect(endOf(failed('usageLimitExceeded'), undefined)).not.toHaveProperty('until');
  expect(endOf(failed('other'), limits)).toEqual({ how: 'failed', reason: 'Usage limit.' });
});
