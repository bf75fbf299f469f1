import { describe, expect, it } from 'vitest';
import { Backoff } from '../src/backoff.ts';

describe('backoff', () => {
  it('doubles up to its ceiling and begins again after a reset', () => {
    const backoff = new Backoff(() => 1);
    expect([1, 2, 3].map(() => backoff.next())).toEqual([200, 400, 800]);
    for (let i = 0; i < 40; i += 1) backoff.next();
    expect(backoff.next()).toBe(10_000);
    backoff.reset();
    expect(backoff.next()).toBe(200);
  });

  it('spreads each delay over its upper half', () => {
    expect(new Backoff(() => 0).next()).toBe(100);
    expect(new Backoff(() => 0.5).next()).toBe(150);
  });
});
