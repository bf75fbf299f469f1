import { newRunId, type RunReceipt } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { runDetail, runLine } from '../src/lib/text/run.ts';
import { receipt } from './receipts.ts';

const of = (more: Partial<RunReceipt> | null, number = 3) => {
  const run = newRunId();
  return { run, number, from: 1, to: 4, receipt: more === null ? null : receipt(run, more) };
};
const tokens = { input: 10_000, output: 2000, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const check = (name: string, outcome: 'passed' | 'failed') => ({
  name,
  command: `npm ${name}`,
  outcome,
  exit: outcome === 'passed' ? 0 : 1,
  seconds: 2,
});

describe('the line of a run', () => {
  it('[UIV7] says its number, time, tokens and cost', () => {
    const { facts } = runLine(of({ calls: 4, tokens, cost_usd: 0.84, estimated: false }), 0);
    expect(facts).toEqual(['run 3', '6 m 12 s', '12k tok', '$0.84']);
    const unknown = runLine(of({ calls: 4, tokens, cost_usd: null, estimated: true }), 0);
    expect(unknown.facts.at(-1)).toBe('price unknown');
  });

  it('[UIV7] tells what was verified from what is claimed', () => {
    const gate = { passed: true, commit: null, clean: true, checks: [check('test', 'passed')] };
    expect(runLine(of({ verified: true, gate }), 2)).toMatchObject({
      outcome: 'verified: test passed, 2 commits',
      tone: 'good',
    });
    expect(runLine(of({ verified: true, gate: { ...gate, clean: false } }), 2)).toMatchObject({
      outcome: 'verified: test passed, with changes beside the commit, 2 commits',
      tone: 'plain',
    });
    expect(runLine(of({}), 0)).toMatchObject({ outcome: 'claimed: done', tone: 'plain' });
    expect(runLine(of({ verified: true }), 1)).toMatchObject({
      outcome: 'verified: done, 1 commit',
      tone: 'good',
    });
  });

  it('[UIV7] says how it ended otherwise', () => {
    const failed = { passed: false, commit: null, clean: true };
    const checks = [check('lint', 'passed'), check('test', 'failed')];
    expect(runLine(of({ verified: true, gate: { ...failed, checks } }), 0)).toMatchObject({
      outcome: 'gates failed: test',
      tone: 'bad',
    });
    expect(runLine(of({ status: 'error', verified: true }), 0)).toMatchObject({
      outcome: 'verified: failed',
      tone: 'bad',
    });
    expect(runLine(of({ status: 'stopped' }), 0)).toMatchObject({ outcome: 'stopped' });
    expect(runLine(of(null), 0)).toEqual({ facts: ['run 3'], outcome: '', tone: 'plain' });
  });

  it('[UIV7] has the rest for whoever points at it', () => {
    const detail = runDetail(of({ calls: 4, tokens }));
    expect(detail).toContain('4 calls, 10k in, 2.0k out');
    expect(detail).toContain('as the agent says');
    expect(detail).toContain('model offline/demo');
    expect(runDetail(of({ model_config_id: '' }))).not.toContain('model');
    expect(runDetail(of(null))).toBe('');
  });
});
