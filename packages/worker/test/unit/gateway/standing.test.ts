import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aheadOf, MOST_AHEAD, standing } from '../../../src/gateway/standing.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  standing.revoke('one');
  standing.revoke('two');
  vi.useRealTimers();
});

/** Of a call that begins now, and whose word is not waited for here. */
function holds(session: string, key: string): boolean {
  const ahead = aheadOf(session, key);
  if (ahead.holds) standing.came(session);
  return ahead.holds;
}

describe('the word of a session on the next call', () => {
  it('[GW18] holds for the key that it was given for, and for half a minute', () => {
    aheadOf('one', 'key').said(true);
    expect(holds('one', 'key')).toBe(true);
    expect(holds('one', 'other')).toBe(false);
    expect(holds('two', 'key')).toBe(false);
    vi.advanceTimersByTime(30_000);
    expect(holds('one', 'key')).toBe(false);
  });

  it('[GW18] is over when it is taken back, for every key of the session and no other', () => {
    for (const session of ['one', 'two']) aheadOf(session, 'key').said(true);
    aheadOf('one', 'other').said(true);
    standing.revoke('one');
    expect(holds('one', 'key')).toBe(false);
    expect(holds('one', 'other')).toBe(false);
    expect(holds('two', 'key')).toBe(true);
  });

  it('[GW18] does not count where it was taken back while it was on its way', () => {
    const asked = aheadOf('one', 'key');
    standing.revoke('one');
    asked.said(true);
    expect(holds('one', 'key')).toBe(false);
  });

  it('[GW18] is over for a key whose call had to wait or was refused', () => {
    for (const key of ['key', 'other']) aheadOf('one', key).said(true);
    aheadOf('one', 'key').said(false);
    expect(holds('one', 'key')).toBe(false);
    expect(holds('one', 'other')).toBe(true);
  });

  it('[GW18] [LED6] lets only so many go ahead at once, and more when theirs has come', () => {
    for (const session of ['one', 'two']) aheadOf(session, 'key').said(true);
    const gone = Array.from({ length: MOST_AHEAD }, () => aheadOf('one', 'key'));
    expect(gone.every((one) => one.holds)).toBe(true);
    expect(holds('one', 'key')).toBe(false);
    expect(holds('two', 'key')).toBe(true);
    gone[0]?.said(true);
    expect(holds('one', 'key')).toBe(true);
    for (const one of gone.slice(1)) one.said(true);
  });

  it('[GW18] can be taken back for all sessions', () => {
    for (const session of ['one', 'two']) aheadOf(session, 'key').said(true);
    standing.revoke(null);
    expect([holds('one', 'key'), holds('two', 'key')]).toEqual([false, false]);
  });

  it('[GW18] is kept for a bounded number of sessions', () => {
    for (let i = 0; i <= 1024; i += 1) aheadOf(`s${i}`, 'key').said(true);
    expect(holds('s0', 'key')).toBe(false);
    expect(holds('s1024', 'key')).toBe(true);
  });
});
