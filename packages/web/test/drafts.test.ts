import { beforeEach, describe, expect, it } from 'vitest';
import { keepDraft, keptDraft } from '../src/lib/state/drafts.ts';
import { SentHistory } from '../src/lib/state/sent-history.ts';

const stored = new Map<string, string>();
beforeEach(() => {
  stored.clear();
  // What a browser has and Node does not.
  Object.assign(globalThis, {
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    },
  });
});

describe('drafts', () => {
  it('[UII2] are kept for each agent until they are emptied', () => {
    keepDraft('th_a', 'one');
    keepDraft('th_b', 'two');
    expect([keptDraft('th_a'), keptDraft('th_b'), keptDraft('th_c')]).toEqual(['one', 'two', '']);
    keepDraft('th_a', '');
    expect([keptDraft('th_a'), keptDraft('th_b')]).toEqual(['', 'two']);
  });

  it('[UII2] are bounded: the oldest go', () => {
    for (let n = 0; n < 60; n += 1) keepDraft(`th_${n}`, `text ${n}`);
    expect(keptDraft('th_0')).toBe('');
    expect(keptDraft('th_59')).toBe('text 59');
    keepDraft('th_large', 'x'.repeat(256 * 1024));
    expect(keptDraft('th_59')).toBe('');
    expect([...stored.values()].join('').length).toBeLessThan(300 * 1024);
  });

  it('[UII2] what else stands in the storage is no draft', () => {
    for (const value of ['no json', '{"a":1}', '[["th_a",1],["th_a"],null]']) {
      stored.set('filepath:drafts', value);
      expect(keptDraft('th_a')).toBe('');
    }
  });
});

describe('what was sent before', () => {
  it('[UII3] is walked through from an empty field and back to it', () => {
    const history = new SentHistory(() => ['first', 'second']);
    expect(history.older('')).toBe('second');
    expect(history.older('second')).toBe('first');
    expect(history.older('first')).toBeNull();
    expect(history.newer('first')).toBe('second');
    expect(history.newer('second')).toBe('');
    expect(history.newer('')).toBeNull();
    expect(history.older('')).toBe('second');
  });

  it('[UII3] leaves alone what a person writes, also from what was shown', () => {
    const history = new SentHistory(() => ['first', 'second']);
    expect(history.older('mine')).toBeNull();
    expect(history.older('')).toBe('second');
    expect(history.older('second, changed')).toBeNull();
    expect(history.newer('second, changed')).toBeNull();
  });
});
