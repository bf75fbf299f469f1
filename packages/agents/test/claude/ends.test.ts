import { describe, expect, it } from 'vitest';
import { rateLimited, retrying } from '../../src/claude/ends.ts';

describe('when a limit of Claude Code ends', () => {
  it('[DRV12] is what it says, where that is a time', () => {
    const rejected = (resetsAt?: number) => rateLimited({ status: 'rejected', resetsAt });
    const reason = 'rate limited';
    expect(rejected(1_767_225_600)).toEqual({ reason, until: '2026-01-01T00:00:00.000Z' });
    for (const at of [undefined, 0, -1, 1e15, Number.MAX_VALUE]) {
      expect(rejected(at)).toEqual({ reason });
    }
  });

  it('[DRV12] is as far ahead as it waits, where that is a time', () => {
    const before = Date.now();
    const { until } = retrying({ error_status: 429, retry_delay_ms: 60_000 });
    expect(Date.parse(until ?? '')).toBeGreaterThanOrEqual(before + 60_000);
    expect(retrying({ error_status: 429, retry_delay_ms: 1e300 })).toEqual({
      reason: 'rate limited: trying again (0 of 0)',
    });
  });
});
