import type { TouchedFile } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { overlapsOf } from '../../src/session/overlaps.ts';

const hash = (letter: string): string => letter.repeat(40);
/** What the remote's branch has, what the parent made of it, and what the two made. */
const [ORIGIN, PARENT, LATER, MINE, THEIRS] = ['0', 'b', 'c', '1', '2'].map(hash) as [
  string,
  string,
  string,
  string,
  string,
];

type Range = [number, number];
const ranges = (...lines: number[]): Range[] => lines.map((line) => [line, 1]);

const file = (more: Partial<TouchedFile>): TouchedFile => ({
  path: 'text',
  from: ORIGIN,
  to: MINE,
  ranges: ranges(5),
  ...more,
});

/** Of one who began after the parent had changed line 30, and put a line before everything. */
const later = (own: Range[], more: Partial<TouchedFile> = {}): TouchedFile =>
  file({
    from: PARENT,
    to: THEIRS,
    ranges: own.map(([line, count]) => [line + 1, count]),
    origin: { from: ORIGIN, ranges: own, had: [[0, 0], ...ranges(30)] },
    ...more,
  });

const theirs = (more: Partial<TouchedFile>): TouchedFile => file({ to: THEIRS, ...more });

const met = (one: TouchedFile, other: TouchedFile): boolean => {
  const works = [one, other].map((each) => ({ head: hash('e'), dirty: false, files: [each] }));
  const [first, second] = works as [(typeof works)[0], (typeof works)[0]];
  const found = overlapsOf(first, second);
  expect(overlapsOf(second, first)).toEqual(found);
  return found.length > 0;
};

describe('two changes of one file', () => {
  it.each<[string, TouchedFile, TouchedFile, boolean]>([
    ['the same lines, begun at different commits', file({}), later(ranges(5)), true],
    ['lines far apart, begun at different commits', file({}), later(ranges(15)), false],
    ['what the other began with', file({ ranges: ranges(30) }), later(ranges(5)), false],
    ['and more than that', file({ ranges: ranges(15, 30) }), later(ranges(15)), true],
    [
      'of a parent, and of one who goes on from there',
      file({ to: PARENT }),
      later([[5, 1]]),
      false,
    ],
    [
      'of a parent that went on elsewhere, and of one who changed its lines',
      file({ to: LATER, ranges: [[0, 0], ...ranges(20, 30)] }),
      later(ranges(30)),
      false,
    ],
    [
      'of files that the branch had not',
      file({ from: null }),
      later([], { origin: { from: null, ranges: ranges(1), had: [] } }),
      true,
    ],
    [
      'of contents with nothing in common',
      file({}),
      file({ from: PARENT, to: THEIRS, ranges: ranges(15) }),
      true,
    ],
    ['a removal, begun at different commits', file({}), later([[1, 40]], { to: null }), true],
    ['the same, begun at different commits', file({ to: THEIRS }), later(ranges(5)), false],
    ['the mode alone', file({}), theirs({ to: ORIGIN, ranges: [] }), false],
    ['the mode alone, and a removal', file({ to: null }), theirs({ to: ORIGIN, ranges: [] }), true],
    [
      'the mode alone, begun at different commits',
      file({ to: ORIGIN, ranges: [] }),
      later(ranges(5)),
      false,
    ],
    ['no text', file({ ranges: [] }), theirs({ ranges: [] }), true],
    [
      'two places to which it went',
      file({ to: null, renamed: 'a' }),
      theirs({ to: null, renamed: 'b' }),
      true,
    ],
    [
      'one place to which it went',
      file({ to: null, renamed: 'a' }),
      theirs({ to: null, renamed: 'a' }),
      false,
    ],
    [
      'a removal, and a place to which it went',
      file({ to: null }),
      theirs({ to: null, renamed: 'b' }),
      true,
    ],
    ['two removals', file({ to: null }), theirs({ to: null }), false],
  ])('[MERGE11] %s', (_, one, other, overlap) => {
    expect(met(one, other)).toBe(overlap);
  });
});
