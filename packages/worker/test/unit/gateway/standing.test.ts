import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aheadOf, standing } from '../../../src/gateway/standing.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  standing.revoke('one');
  standing.revoke('two');
  vi.useRealTimers();
});

describe('the word of a session on the next call', () => {
  it('[GW18] holds for the key that it was given for, and for half a minute', () => {
    aheadOf('one', 'key').said(true);
    expect(aheadOf('one', 'key').holds).toBe(true);
    expect(aheadOf('one', 'other').holds).toBe(false);
    expect(aheadOf('two', 'key').holds).toBe(false);
    vi.advanceTimersByTime(30_000);
    expect(aheadOf('one', 'key').holds).toBe(false);
  });

  it('[GW18] is over when it is taken back, for every key of the session and no other', () => {
    for (const session of ['one', 'two']) aheadOf(session, 'key').said(true);
    aheadOf('one', 'other').said(true);
    standing.revoke('one');
    expect(aheadOf('one', 'key').holds).toBe(false);
    expect(aheadOf('one', 'other').holds).toBe(false);
    expect(aheadOf('two', 'key').holds).toBe(true);
  });

  it('[GW18] does not count where it was taken back while it was on its way', () => {
    const asked = aheadOf('one', 'key');
    standing.revoke('one');
    asked.said(true);
    expect(aheadOf('one', 'key').holds).toBe(false);
  });

  it('[GW18] is over for a key whose call had to wait or was refused', () => {
    for (const key of ['key', 'other']) aheadOf('one', key).said(true);
    aheadOf('one', 'key').said(false);
    expect(aheadOf('one', 'key').holds).toBe(false);
    expect(aheadOf('one', 'other').holds).toBe(true);
  });

  it('[GW18] is kept for a bounded number of sessions', () => {
    for (let i = 0; i <= 1024; i += 1) aheadOf(`s${i}`, 'key').said(true);
    expect(aheadOf('s0', 'key').holds).toBe(false);
    expect(aheadOf('s1024', 'key').holds).toBe(true);
  });
});
