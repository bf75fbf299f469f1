import { describe, expect, it } from 'vitest';
import { toBlocks } from '../src/index.ts';
import { fap, log, runner } from './events.ts';

const tool = (status: string, more: object = {}) =>
  fap({ type: 'tool', name: 'edit', path: 'a.ts', status, ...more });
const command = (status: string, more: object = {}) =>
  fap({ type: 'command', cmd: 'make', status, ...more });

describe('how long work took', () => {
  it('[UIB1] is what the agent says, else the time between its first and its last event', () => {
    const blocks = toBlocks(
      log(tool('start'), command('start'), tool('done'), command('error', { durationMs: 7 })),
    );
    expect(blocks).toMatchObject([
      { kind: 'tool', durationMs: 2000 },
      { kind: 'command', durationMs: 7 },
    ]);
  });

  it('[UIB1] is unknown while it goes on, and where only its end was told', () => {
    expect(toBlocks(log(tool('start'), command('done')))).toMatchObject([
      { kind: 'tool', durationMs: null },
      { kind: 'command', durationMs: null },
    ]);
  });

  it('[UIB1] is unknown where the clock went back', () => {
    const [start, end] = log(tool('start'), tool('done'));
    if (start === undefined || end === undefined) throw new Error('two events were expected');
    const before = new Date(Date.parse(start.at) - 1000).toISOString();
    expect(toBlocks([start, { ...end, at: before }])).toMatchObject([{ durationMs: null }]);
  });
});

it('[UIB2] a commit that the runner saw names its branch, also when the agent told of it first', () => {
  const hash = 'a'.repeat(40);
  const head = (ref?: string) =>
    runner({
      type: 'head',
      epoch: 1,
      from: '0'.repeat(40),
      to: hash,
      message: 'one',
      ...(ref === undefined ? {} : { ref }),
    });
  const said = fap({ type: 'commit', hash: hash.slice(0, 7), message: 'one' });
  const branchOf = (...events: Parameters<typeof log>) =>
    toBlocks(log(...events)).flatMap((block) =>
      block.kind === 'commits' ? block.commits.map(({ branch }) => branch) : [],
    );
  expect(branchOf(said)).toEqual([null]);
  expect(branchOf(head('refs/heads/filepath/impl-1'))).toEqual(['filepath/impl-1']);
  expect(branchOf(said, head('refs/heads/filepath/impl-1'))).toEqual(['filepath/impl-1']);
  expect(branchOf(head())).toEqual([null]);
});

it('[UIB3] a question tells whether leave is asked', () => {
  const ask = (kind?: string) =>
    fap({ type: 'decision', id: 'd', prompt: 'Run?', options: ['allow'], ...(kind && { kind }) });
  expect(toBlocks(log(ask('permission')))).toMatchObject([{ permission: true }]);
  expect(toBlocks(log(ask()))).toMatchObject([{ permission: false }]);
});
