import { expect, it } from 'vitest';
import { newJobId, newThreadId, toBlocks } from '../src/index.ts';
import { log } from './events.ts';

const about = {
  job: newJobId(),
  node: newThreadId(),
  name: 'helper',
  into: 'parent',
  target: 'lead',
  from: '1'.repeat(40),
};
const merged = { type: 'merged', ...about, commit: 'a'.repeat(40), before: 'b'.repeat(40) };

it('[MERGE9] merges, conflicts and overlaps are notices that say what to do', () => {
  const bodies = [
    { ...merged, how: 'merge', taken: true },
    { ...merged, how: 'ff', taken: false },
    { ...merged, how: 'none', taken: true },
    {
      type: 'conflict',
      ...about,
      ours: 'c'.repeat(40),
      files: [{ path: 'a', hunks: ['<<<<<<<'] }],
      truncated: true,
      hand: false,
    },
    { type: 'overlap', node: about.node, name: 'other', files: ['a', 'b'] },
    { type: 'job_failed', job: about.job, work: 'merge', reason: 'no branch' },
  ];
  const blocks = toBlocks(log(...bodies.map((body) => ({ source: 'system' as const, body }))));
  expect(blocks).toMatchObject([
    { level: 'info', text: 'merged the work of helper into lead as aaaaaaaaaa', detail: null },
    { level: 'info', detail: `the workspace of lead gets it with: git merge ${'a'.repeat(40)}` },
    { level: 'info', text: 'lead has the work of helper' },
    {
      level: 'warn',
      text: 'the work of helper conflicts with lead',
      detail: 'a\n<<<<<<<\n\nand more',
    },
    { level: 'warn', text: 'other changed the same lines', detail: 'a\nb' },
    { level: 'error', text: 'could not merge', detail: 'no branch' },
  ]);
});
