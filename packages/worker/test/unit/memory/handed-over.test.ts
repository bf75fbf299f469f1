import { JobId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { resultMessage, wordsInResult } from '../../../src/session/results.ts';
import { termsOf } from '../../../src/user/memory/words.ts';
import { newThread, observe, type TestThread } from '../support/threads.ts';
import { byAgent, newSight, newStore } from './support.ts';

const TASK = 'Paint the shed.';
/** Words of a language that no text of filepath's has. */
const LONG = Array.from({ length: 200 }, (_, at) => `vorto${at}`).join(' ');

function working(task = TASK): TestThread {
  const t = newThread('shelley');
  t.thread.message('user', task, null);
  observe(t, { type: 'started' });
  t.thread.written(1);
  t.say({ type: 'status', state: 'thinking' });
  return t;
}

/** What the fresh process is given of three memories, best first. */
function given(t: TestThread): string[] {
  const { memories } = newStore();
  const sight = newSight();
  for (const content of [
    'The shed has a wasp nest.',
    'Ladders are in the barn.',
    'Work of a fresh context goes on in your workspace and home, as this note of a person says.',
  ]) {
    memories.store(byAgent(sight, content));
  }
  const { epoch } = t.thread.state.launch;
  const question = t.thread.taskOf(epoch) ?? '';
  return memories.recall(sight, question, undefined, 9).map(({ content }) => content);
}

/** All words that memory is asked for. */
const asked = (t: TestThread): string[] =>
  termsOf(t.thread.taskOf(t.thread.state.launch.epoch) ?? '');

const SHED = 'The shed has a wasp nest.';
const LADDERS = 'Ladders are in the barn.';

describe('what memory is asked when work goes on', () => {
  it('[MEM16] after a handoff: the task and the summary, and no word of the note around them', () => {
    const t = working();
    t.say({ type: 'handoff', summary: 'I need ladders.' });
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(given(t)).toEqual([LADDERS, SHED]);
    expect(asked(t).toSorted()).toEqual('i ladders need paint shed the'.split(' '));
  });

  it('[MEM16] a long summary, a long task and long messages do not crowd out each other', () => {
    const handed = (task: string, summary: string, later: string): TestThread => {
      const t = working(task);
      t.say({ type: 'handoff', summary });
      observe(t, { type: 'exit', code: 0, reason: 'handoff' });
      t.thread.message('user', later, null);
      return t;
    };
    expect(given(handed(TASK, LONG, LONG))[0]).toBe(SHED);
    expect(given(handed(LONG, 'I need ladders.', LONG))[0]).toBe(LADDERS);
    expect(given(handed(LONG, LONG, 'Where are the ladders?'))[0]).toBe(LADDERS);
  });

  it('[MEM16] after a handoff that a person asked for at rest: the task and the last words', () => {
    const t = working();
    t.say({ type: 'text', content: 'Ladders first.' }, { type: 'done', summary: 'Half is blue.' });
    observe(t, { type: 'exit', code: 0 });
    t.thread.signal('handoff');
    expect(given(t)).toEqual([LADDERS, SHED]);
    expect(asked(t)).not.toContain('summary');
  });

  it('[MEM16] after a restart: the task, and what was handed over last', () => {
    const t = working();
    t.say({ type: 'handoff', summary: 'I need ladders.' });
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    t.thread.go(2);
    observe(t, { type: 'started' });
    t.say({ type: 'text', content: 'on it' });
    t.thread.restart();
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(given(t)).toEqual([LADDERS, SHED]);
  });

  it('[MEM16] after a limit: the task, with what was said in its run', () => {
    const t = working();
    t.thread.message('user', 'Mind the ladders.', null);
    const until = new Date(Date.parse('2026-01-01T01:00:00Z')).toISOString();
    t.say({ type: 'status', state: 'error', reason: 'rate limit', until });
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(given(t)).toEqual(expect.arrayContaining([SHED, LADDERS]));
    expect(asked(t).toSorted()).toEqual('ladders mind paint shed the'.split(' '));
  });

  it('[MEM16] after a child’s end: the task, and the child’s words', () => {
    const t = working();
    t.say({ type: 'done' });
    observe(t, { type: 'exit', code: 0 });
    const child = { id: t.thread.meta.thread, name: 'helper' };
    const end = { outcome: 'completed', reason: null, words: 'ladders found' } as const;
    t.thread.result(child, resultMessage(child, end), 'end');
    expect(given(t)).toEqual(expect.arrayContaining([SHED, LADDERS]));
    expect(asked(t).toSorted()).toEqual('found ladders paint shed the'.split(' '));
    expect(wordsInResult(resultMessage(child, { ...end, words: null }))).toBe('');
  });

  it('[MEM16] after a gate that failed and left no process: the task', () => {
    const t = working();
    const { observed } = t.thread.state.launch;
    const commands = [{ name: 'test', command: 'test' }];
    t.thread.observed(observed + 1, {
      type: 'gates',
      epoch: 1,
      from: 'node',
      commands,
      attempts: 2,
    });
    t.say({ type: 'done' });
    const job = JobId.parse(t.thread.state.lifecycle.gate?.job);
    observe(t, { type: 'exit', code: 0 });
    const check = { name: 'test', command: 'test', exit: 1, seconds: 1, tail: 'no' };
    const checks = [{ ...check, outcome: 'failed' as const }];
    t.thread.jobDone({ type: 'gate', job, passed: false, commit: null, clean: true, checks });
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, waits: true });
    expect(asked(t)).toEqual('paint the shed'.split(' '));
  });

  it('[MEM16] a message of its own is asked as it stands', () => {
    const t = working();
    t.say({ type: 'done' });
    observe(t, { type: 'exit', code: 0 });
    t.thread.message('user', 'Where are the ladders?', null);
    expect(t.thread.taskOf(2)).toBe('Where are the ladders?');
  });
});
