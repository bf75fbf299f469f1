import { reasonWords } from '../src/lib/text/reason.ts';
import { describe, expect, it } from 'vitest';
import { readLimit } from '../src/lib/text/budget.ts';
import { parseEnv } from '../src/lib/text/env.ts';
import { ago, bytes, count, duration } from '../src/lib/text/format.ts';
import { randomName } from '../src/lib/text/names.ts';

describe('environment variables', () => {
  it('are KEY=VALUE lines; comments, blanks, export and quotes are understood', () => {
    expect(parseEnv('# keys\n\nA=1\nexport B="two words"\nC=x=y\nD=')).toEqual({
      ok: true,
      vars: { A: '1', B: 'two words', C: 'x=y', D: '' },
    });
  });

  it('name the line that is none', () => {
    expect(parseEnv('A=1\n2B=3')).toEqual({ ok: false, reason: 'Line 2 is not KEY=VALUE.' });
  });

  it('may not begin with FILEPATH_', () => {
    expect(parseEnv('FILEPATH_TASK=x')).toMatchObject({ ok: false });
  });

  it('may be called __proto__ without touching the prototype', () => {
    const env = parseEnv('__proto__=x');
    expect(env.ok && Object.hasOwn(env.vars, '__proto__')).toBe(true);
  });
});

describe('numbers', () => {
  it('are short', () => {
    expect([0, 20, 99.7, 420, 4200, 372_000, 7_260_000].map(duration)).toEqual([
      '1 ms',
      '20 ms',
      '0.1 s',
      '0.4 s',
      '4.2 s',
      '6 m 12 s',
      '2 h 1 m',
    ]);
    expect([999, 1200, 184_000, 2_500_000].map(count)).toEqual(['999', '1.2k', '184k', '2.5M']);
    expect([12, 300_000, 3_000_000].map(bytes)).toEqual(['12 B', '293 KiB', '2.9 MiB']);
  });

  it('say how long ago something was, also with a clock that is behind', () => {
    const now = Date.parse('2026-01-02T00:00:00.000Z');
    const before = (seconds: number): string =>
      ago(new Date(now - seconds * 1000).toISOString(), now);
    expect([-60, 30, 90, 7200, 200_000].map(before)).toEqual([
      'just now',
      '30 s ago',
      '1 min ago',
      '2 h ago',
      '2 d ago',
    ]);
  });
});

describe('a name', () => {
  it('is an adjective and a number from 1 to 99', () => {
    expect(randomName(() => 0)).toBe('amber-1');
    expect(randomName(() => 0.999999)).toMatch(/^[a-z]+-99$/);
  });
});

describe('a limit', () => {
  it.each([
    ['', false, null],
    [' ', true, null],
    ['2.50', false, 2.5],
    ['$1,000', false, 1000],
    ['1_000_000', true, 1_000_000],
    ['0', true, 0],
    ['1.5', true, undefined],
    ['-1', false, undefined],
    ['much', false, undefined],
    ['$', false, undefined],
  ])('%j', (text, whole, limit) => {
    expect(readLimit(text, whole)).toBe(limit);
  });
});

it('[QUE4] says the place in line after the reason', () => {
  expect(reasonWords({ reason: 'queued', queue: null })).toBe('queued');
  expect(reasonWords({ reason: 'queued', queue: 1 })).toBe('queued, next');
  expect(reasonWords({ reason: null, queue: 7 })).toBe('queued, place 7');
  expect(reasonWords({ reason: null, queue: null })).toBeNull();
});
