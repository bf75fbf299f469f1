import type { RunnerHealth } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { readOutbox } from '../../src/thread/outbox.ts';
import { newThread, observe, type TestThread } from './support/threads.ts';

const RESCUED = {
  ref: 'refs/filepath/rescue/2',
  hash: '5f2c8d1b5f2c8d1b5f2c8d1b5f2c8d1b5f2c8d1b',
  files: 3,
};

const text = (content: string) => ({ type: 'text', content });

function health(t: TestThread, more: Partial<RunnerHealth> = {}) {
  const { epoch, observed } = t.thread.state.launch;
  const body: RunnerHealth = {
    type: 'health',
    epoch,
    state: 'done',
    rescued: RESCUED,
    checks: [],
    blocked: false,
    ...more,
  };
  const effects = t.thread.observed(observed + 1, body);
  if (effects === 'resync') throw new Error('resync');
  return effects;
}

/** A thread whose agent was asked and is about to start. */
function asked(): TestThread {
  const t = newThread();
  t.thread.message('user', 'do it', null);
  return t;
}

const sources = (t: TestThread): string[] => t.events().map((event) => event.source);

const starts = (t: TestThread): number =>
  readOutbox(t.sql, 100).filter(({ item }) => item.kind === 'order' && item.order.kind === 'start')
    .length;

describe('[HLT9] the state of the workspace', () => {
  it('is logged and given to the agent after its task, in one step', () => {
    const t = asked();
    const { inputs } = health(t);
    expect(sources(t)).toEqual(['user', 'runner', 'system']);
    expect(inputs).toMatchObject([{ id: 2 }]);
    const line: unknown = JSON.parse(inputs[0]?.line ?? '');
    expect(line).toMatchObject({ type: 'message', from: 'system' });
    expect(t.events().at(-1)?.body).toEqual(line);
    expect(JSON.stringify(line)).toContain(`commit ${RESCUED.hash} under ${RESCUED.ref}`);
    expect(t.reopen().thread.pendingInputs(1)).toEqual(inputs);
  });

  it('opens, ends and supersedes no run', () => {
    const t = asked();
    const { run, lifecycle } = t.thread.state;
    health(t);
    expect(t.thread.state.lifecycle).toEqual(lifecycle);
    expect(t.thread.state.run?.id).toBe(run?.id);
    observe(t, { type: 'started' });
    t.say(text('a'));
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'done', open: false });
    expect(starts(t)).toBe(1);
    expect(t.sql.all('SELECT run FROM runs')).toHaveLength(1);
  });

  it('starts nothing again where the agent ends without a word, nor with one line read', () => {
    const t = asked();
    health(t);
    t.thread.written(1);
    observe(t, { type: 'started' });
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.lifecycle.status).toBe('done');
    expect(starts(t)).toBe(1);
  });

  it('is not handed to the process that takes up a later message', () => {
    const t = asked();
    health(t);
    observe(t, { type: 'started' });
    t.say(text('a'), { type: 'done' });
    t.thread.message('user', 'second', null);
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, active: true, inputs: 1 });
    expect(t.thread.pendingInputs(0)[0]?.line).toContain('second');
  });

  it.each([
    ['while it is being checked', { state: 'checking' as const }],
    ['that keeps the agent from starting', { blocked: true }],
  ])('%s is told to nobody', (_, more) => {
    const t = asked();
    expect(health(t, more).inputs).toEqual([]);
    expect(sources(t)).toEqual(['user', 'runner']);
  });

  it('that comes after a stop is told to nobody, and the stop holds', () => {
    const t = asked();
    t.thread.signal('stop');
    expect(health(t).inputs).toEqual([]);
    expect(t.thread.state.lifecycle).toMatchObject({ stopped: true, open: false });
    expect(sources(t)).toEqual(['user', 'user', 'runner']);
  });

  it('that comes twice is stored once', () => {
    const t = asked();
    health(t);
    const { epoch } = t.thread.state.launch;
    const again: RunnerHealth = {
      type: 'health',
      epoch,
      state: 'done',
      rescued: RESCUED,
      checks: [],
      blocked: false,
    };
    expect(t.thread.observed(1, again)).toMatchObject({ stored: [], inputs: [] });
    expect(t.events()).toHaveLength(3);
  });
});
