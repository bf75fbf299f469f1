import { describe, expect, it } from 'vitest';
import { failureOf, retryAfterOf } from '../../../src/gateway/failure.ts';

const SECRET = 'sk-provider-canary-0123456789';

describe('[GW8] when to try again', () => {
  it.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after-ms': '1500', 'retry-after': '7' }, 1.5],
    [{ 'retry-after': new Date(60_000).toUTCString() }, 60],
    [{ 'retry-after': new Date(-60_000).toUTCString() }, 0],
    [{ 'retry-after-ms': 'Infinity' }, undefined],
    [{ 'retry-after': '9'.repeat(400) }, 1e9],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('is read of %j as a number that can be kept', (headers, seconds) => {
    expect(retryAfterOf(new Headers(headers), 0)).toBe(seconds);
  });
});

describe("[GW4] an error with the provider's key in it", () => {
  it('shows no part of the key, also where it is cut', async () => {
    const kept = 256 * 1024;
    for (const before of [0, kept - 10, kept - SECRET.length + 1]) {
      const text = await failureOf(new Response(`${'x'.repeat(before)}${SECRET} end`), [SECRET]);
      expect(text).not.toContain(SECRET.slice(0, 6));
      expect(text.length).toBeLessThanOrEqual(kept);
    }
  });
});
