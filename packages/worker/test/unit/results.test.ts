import { newThreadId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { type ResultNote, readOutbox } from '../../src/thread/outbox.ts';
import { MAX_WORDS } from '../../src/thread/result-note.ts';
import { newThread, observe, type TestThread } from './support/threads.ts';

const text = (content: string) => ({ type: 'text', content });
const child = { id: newThreadId(), name: 'helper' };

function started(agentType = 'shelley'): TestThread {
  const t = newThread(agentType);
  t.thread.message('user', 'do it', null);
  observe(t, { type: 'started' });
  return t;
}

const results = (t: TestThread): ResultNote[] =>
  readOutbox(t.sql, 100).flatMap(({ item }) => (item.kind === 'result' ? [item.note] : []));

const starts = (t: TestThread): number => t.thread.state.launch.epoch;

describe('[TALK1] the end of a run is told with the last words of the agent', () => {
  it.each([
    ['a summary', [text('a'), { type: 'done', summary: 'dug' }], 'completed', null, 'dug'],
    ['its last text', [text('a'), text('b'), { type: 'done' }], 'completed', null, 'b'],
    [
      'its last text and a reason',
      [text('a'), { type: 'status', state: 'error', reason: 'no model' }],
      'error',
      'no model',
      'a',
    ],
    ['nothing', [{ type: 'status', state: 'idle' }], 'completed', null, null],
  ])('%s', (_, said, outcome, reason, words) => {
    const t = started();
    t.say(...said);
    expect(results(t)).toEqual([{ seq: t.thread.state.seq, outcome, reason, words }]);
  });

  it('of the run that ended alone, and bounded', () => {
    const t = started();
    t.say(text('first run'), { type: 'done', summary: 'one' });
    t.thread.message('user', 'more', null);
    t.say({ type: 'status', state: 'idle' });
    t.thread.message('user', 'most', null);
    t.say(text('ä'.repeat(MAX_WORDS)), { type: 'status', state: 'idle' });
    const [first, second, third] = results(t);
    expect([first?.words, second?.words]).toEqual(['one', null]);
    const bytes = new TextEncoder().encode(third?.words ?? '').length;
    expect(bytes).toBeLessThanOrEqual(MAX_WORDS);
    expect(third?.words).toMatch(/^ä+ …$/);
  });

  it('when the process is lost or stopped, and not when the work goes on', () => {
    const lost = started();
    observe(lost, { type: 'exit', code: null, reason: 'lost' });
    expect(results(lost)).toMatchObject([{ outcome: 'lost' }]);
    const stopped = started();
    stopped.thread.signal('stop');
    observe(stopped, { type: 'exit', code: 0, reason: 'stopped' });
    expect(results(stopped)).toMatchObject([{ outcome: 'stopped' }]);
    const onwards = started();
    onwards.thread.message('user', 'instead', null);
    onwards.say({ type: 'handoff', summary: 'half' });
    expect(results(onwards)).toEqual([]);
  });
});

describe('[TALK1] work that was to go on in another process', () => {
  const until = '2026-01-01T02:00:00Z';
  const handsOff = { type: 'handoff', summary: 'half' };
  const atLimit = { type: 'status', state: 'error', reason: 'limit', until };

  it.each([
    ['a handoff', handsOff],
    ['a limit', atLimit],
  ])('is told as stopped when a stop comes after %s, once', (_, end) => {
    const t = started();
    t.say({ type: 'status', state: 'running' }, end);
    expect(results(t)).toEqual([]);
    t.thread.signal('stop');
    t.thread.signal('stop');
    observe(t, { type: 'exit', code: 0, reason: 'stopped' });
    expect(t.thread.state.lifecycle).toMatchObject({ open: false, reason: 'stopped' });
    expect(results(t)).toMatchObject([{ outcome: 'stopped' }]);
  });

  it('is told as stopped when the fresh process is stopped in line', () => {
    const t = started();
    t.say(handsOff);
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    t.thread.signal('stop');
    expect(results(t)).toMatchObject([{ outcome: 'stopped' }]);
  });

  it('is not told as stopped by a restart', () => {
    const t = started();
    t.thread.restart();
    expect(results(t)).toEqual([]);
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    observe(t, { type: 'started' });
    t.say({ type: 'done', summary: 'dug' });
    expect(results(t)).toMatchObject([{ outcome: 'completed', words: 'dug' }]);
  });
});

describe('[TALK2] a result', () => {
  it('steers the run that is open, once', () => {
    const t = started();
    t.say({ type: 'status', state: 'running' });
    const { run } = t.thread.state;
    const told = t.thread.result(child, 'dug', 'result:1');
    expect(told.inputs.map(({ line }) => JSON.parse(line) as unknown)).toEqual([
      { type: 'message', from: 'child', child, content: 'dug' },
    ]);
    expect(t.thread.result(child, 'dug', 'result:1')).toMatchObject({ inputs: [], stored: [] });
    expect(t.events().at(-1)).toMatchObject({ source: 'system', run: run?.id });
    expect(t.thread.state.run?.id).toBe(run?.id);
    expect(starts(t)).toBe(1);
  });

  it('joins a run that waits for its process', () => {
    const t = newThread('shelley');
    t.thread.message('user', 'do it', null);
    t.thread.result(child, 'dug', 'result:1');
    expect(t.thread.pendingInputs(0)).toHaveLength(2);
    expect(starts(t)).toBe(1);
  });

  it('opens a run and starts a process where none runs', () => {
    const t = started();
    t.say({ type: 'done' });
    observe(t, { type: 'exit', code: 0 });
    t.thread.result(child, 'dug', 'result:1');
    expect(t.thread.state.lifecycle).toMatchObject({ open: true, reason: 'queued' });
    expect(starts(t)).toBe(2);
    expect(t.thread.pendingInputs(0)).toHaveLength(1);
  });

  it('is given to the next process by an agent that ends without a word to it', () => {
    const t = started();
    t.say({ type: 'status', state: 'running' });
    t.thread.result(child, 'dug', 'result:1');
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.lifecycle).toMatchObject({ open: true, reason: 'queued' });
    expect(t.thread.pendingInputs(0).map(({ line }) => JSON.parse(line) as unknown)).toMatchObject([
      { from: 'child', content: 'dug' },
    ]);
  });

  it('is heard by a program of its own while its run is open, and begins nothing', () => {
    const t = started('custom');
    t.thread.result(child, 'dug', 'result:1');
    expect(t.thread.pendingInputs(1)).toHaveLength(1);
    expect(t.thread.state.lifecycle).toMatchObject({ open: true, unanswered: false });
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.lifecycle).toMatchObject({ open: false, status: 'done' });
    const { seq } = t.thread.state;
    t.thread.result(child, 'dug', 'result:2');
    expect([t.thread.state.seq, starts(t)]).toEqual([seq, 1]);
  });

  it('[F10] is not told to an agent that is stopped', () => {
    const t = started();
    t.thread.signal('stop');
    const before = t.thread.state.seq;
    t.thread.result(child, 'dug', 'result:1');
    observe(t, { type: 'exit', code: 0, reason: 'stopped' });
    t.thread.result(child, 'dug', 'result:2');
    expect(t.events().slice(before)).toMatchObject([{ source: 'runner' }]);
    expect(starts(t)).toBe(1);
  });
});
