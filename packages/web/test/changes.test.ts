import type { ChangedFile } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { type LineComment, messageOf } from '../src/lib/text/comments.ts';
import {
  changedLines,
  hunkTitle,
  meet,
  renamesIn,
  rowsOf,
  signatureOf,
  splitRows,
} from '../src/lib/text/hunks.ts';
import { toldOf, waitingWords } from '../src/lib/text/merging.ts';
import { nextOf } from '../src/lib/state/roving.ts';

const hunk = (from: [number, number], to: [number, number], text: string) => ({ from, to, text });
const HUNK = hunk([4, 4], [4, 4], ' 4\n-5\n-6\n+five\n+six\n 7\n\\ No newline at end of file\n');

const file = (path: string, more: Partial<ChangedFile> = {}): ChangedFile => ({
  path,
  status: 'modified',
  additions: 2,
  deletions: 2,
  binary: false,
  committed: true,
  uncommitted: false,
  hunks: [HUNK],
  truncated: false,
  ...more,
});

describe('hunks', () => {
  it('[UIC1] have numbers for the lines before and after', () => {
    expect(rowsOf(HUNK).map((row) => [row.kind, row.old, row.new, row.text])).toEqual([
      ['same', 4, 4, '4'],
      ['del', 5, null, '5'],
      ['del', 6, null, '6'],
      ['add', null, 5, 'five'],
      ['add', null, 6, 'six'],
      ['same', 7, 7, '7'],
      ['note', null, null, 'No newline at end of file'],
    ]);
    expect(hunkTitle(HUNK)).toBe('@@ -4,4 +4,4 @@');
  });

  it('[UIC2] side by side, what was removed stands beside what took its place', () => {
    const uneven = rowsOf(hunk([1, 2], [1, 3], '-1\n+one\n+more\n 2\n+3\n'));
    expect(splitRows(uneven).map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ['1', 'one'],
      [undefined, 'more'],
      ['2', '2'],
      [undefined, '3'],
    ]);
  });

  it('[UIC1] a file that was moved as it is is known by its content', () => {
    const content = (kind: '+' | '-', text: string) => [hunk([0, 0], [1, 1], `${kind}${text}\n`)];
    const files = [
      file('a', { status: 'deleted', hunks: content('-', 'same') }),
      file('b/a', { status: 'added', hunks: content('+', 'same') }),
      file('c', { status: 'added', hunks: content('+', 'other') }),
      file('d', { status: 'added', hunks: [] }),
    ];
    expect([...renamesIn(files)]).toEqual([['b/a', 'a']]);
  });

  it.each([
    ['the same line', hunk([5, 1], [5, 1], '-5\n+V\n'), true],
    ['the line after', hunk([7, 1], [7, 1], '-7\n+VII\n'), true],
    ['a line further on', hunk([9, 1], [9, 1], '-9\n+IX\n'), false],
    ['context alone', hunk([4, 3], [4, 3], ' 4\n 5\n 6\n'), false],
    ['an insertion between them', hunk([5, 0], [6, 1], '+new\n'), true],
    ['an insertion far away', hunk([20, 0], [21, 1], '+new\n'), false],
  ])('[UIC3] beside a change of lines 5 and 6: %s', (_, other, meets) => {
    expect(meet(changedLines([HUNK]), changedLines([other]))).toBe(meets);
  });

  it('[UIC4] a mark holds for what changed, whatever the commit', () => {
    const one = signatureOf(file('a'), 'head');
    expect(signatureOf(file('a'), 'another head')).toBe(one);
    const other = hunk([4, 1], [4, 1], '-4\n+iv\n');
    expect(signatureOf(file('a', { hunks: [other] }), 'head')).not.toBe(one);
    const cut = file('a', { hunks: [], truncated: true });
    expect(signatureOf(cut, 'head')).not.toBe(signatureOf(cut, 'another head'));
  });
});

describe('comments', () => {
  const comment = (more: Partial<LineComment>): LineComment => ({
    id: 'c',
    path: 'src/a.ts',
    side: 'new',
    from: 5,
    to: 5,
    quote: ['five'],
    text: 'Why?',
    ...more,
  });

  it('[UIC5] become one message by file and line, with what stands there', () => {
    const message = messageOf(
      [
        comment({ path: 'src/b.ts', side: 'old', quote: ['gone'], text: 'Keep it.' }),
        comment({ from: 9, to: 10, quote: ['nine', 'ten'], text: ' Both? ' }),
        comment({}),
      ],
      'abcdef0123456789',
    );
    expect(message).toBe(
      [
        '3 comments on your changes at abcdef0:',
        'src/a.ts:5\n> five\nWhy?',
        'src/a.ts:9-10\n> nine\n> ten\nBoth?',
        'src/b.ts:5 (before)\n> gone\nKeep it.',
      ].join('\n\n'),
    );
  });

  it('[UIC5] quote no more than can be read', () => {
    const quote = Array.from({ length: 40 }, () => 'x'.repeat(1000));
    const message = messageOf([comment({ quote })], 'abcdef0123456789');
    expect(message.length).toBeLessThan(3500);
    expect(message).toContain('\n> …\n');
  });

  it('[UIC5] arrow keys go from line to line and stay within', () => {
    expect(nextOf('ArrowDown', 1, 3)).toBe(2);
    expect(nextOf('ArrowDown', 2, 3)).toBe(2);
    expect(nextOf('ArrowUp', 0, 3)).toBe(0);
    expect(nextOf('End', 0, 3)).toBe(2);
    expect(nextOf('Home', 2, 3)).toBe(0);
    expect(nextOf('x', 1, 3)).toBeNull();
  });
});

it('[UIC6] how a merge or a push ended is said, a conflict by itself', () => {
  const about = {
    job: 'job_0123456789abcdefghijkl',
    node: 'th_0123456789abcdefghijkl',
    name: 'two',
    into: 'parent',
    target: 'lead',
    from: 'a'.repeat(40),
  } as const;
  const merged = { commit: 'b'.repeat(40), before: 'c'.repeat(40) };
  const of = (result: object) => toldOf(result as Parameters<typeof toldOf>[0])?.text;
  const done = { type: 'merged', ...about, ...merged };
  expect(of({ ...done, how: 'ff', taken: true })).toBe(
    'Merged into lead as bbbbbbb, fast-forward.',
  );
  expect(of({ ...done, how: 'merge', taken: false })).toContain('is told which commit to merge');
  expect(of({ ...done, how: 'none', taken: true })).toContain('has all of it already');
  const waits = of({ ...done, how: 'none', taken: false });
  expect(waits).not.toContain('already');
  expect(waits).toContain('does not have it yet');
  const whose = { node: about.node as never, name: 'helper', from: 'a'.repeat(40) };
  expect(waitingWords('lead', { commit: 'b'.repeat(40), of: [whose, whose] })).toContain(
    'The work of helper was merged into lead as bbbbbbb and waits',
  );
  expect(
    toldOf({ type: 'job_failed', job: about.job as never, work: 'push', reason: 'no' }),
  ).toEqual({ good: false, text: 'no' });
  expect(of({ type: 'conflict', ...about })).toBeUndefined();
  expect(toldOf(null)?.text).toContain('longer than usual');
});
