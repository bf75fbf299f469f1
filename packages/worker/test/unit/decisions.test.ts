import { describe, expect, it } from 'vitest';
import { newThread, observe, type TestThread } from './support/threads.ts';

const question = {
  type: 'decision',
  id: 'd',
  prompt: 'may I?',
  options: ['yes', 'no'],
  hash: 'h1',
};

function asked(body: object = question): TestThread {
  const t = newThread();
  t.thread.message('user', 'do it', null);
  observe(t, { type: 'started' });
  t.say(body);
  return t;
}

describe('an answer to what an agent asks', () => {
  it('[CAT8] is logged with what was asked, and given to the process', () => {
    const t = asked();
    const { inputs, seq } = t.thread.decide('d', { choice: 'yes', input: { why: 'because' } });
    expect(inputs).toEqual([
      {
        id: 2,
        line: '{"type":"decision","id":"d","choice":"yes","input":{"why":"because"}}\n',
      },
    ]);
    expect(t.events().at(-1)).toMatchObject({
      seq,
      source: 'user',
      body: { type: 'decision', id: 'd', choice: 'yes', input: { why: 'because' }, hash: 'h1' },
    });
    expect(t.thread.state.lifecycle).toMatchObject({ reason: null, asks: false });
  });

  it('[CAT8] is taken once, whoever gives it', () => {
    const t = asked();
    t.thread.decide('d', { choice: 'yes' });
    expect(() => t.reopen().thread.decide('d', { choice: 'no' })).toThrow(/answered already/);
    t.say({ ...question, hash: 'h2' });
    expect(t.reopen().thread.decide('d', { choice: 'no' }).seq).toBe(6);
  });

  it('[CAT9] holds for what was asked, and for nothing that is asked in its place', () => {
    const t = asked();
    t.say({ ...question, hash: 'h2' });
    expect(() => t.thread.decide('d', { choice: 'yes', hash: 'h1' })).toThrow(/something else/);
    t.thread.decide('d', { choice: 'yes', hash: 'h2' });
    expect(t.events().at(-1)?.body).toMatchObject({ hash: 'h2' });
  });

  it.each([
    ['nobody asked', 'other', { choice: 'yes' }, /was not asked/],
    ['it is none of the options', 'd', { choice: 'maybe' }, /none of the options/],
  ])('[CAT8] is refused where %s', (_why, id, answer, words) => {
    const t = asked();
    expect(() => t.thread.decide(id, answer)).toThrow(words);
    expect(t.events()).toHaveLength(3);
  });

  it('[CAT8] is refused where the process that asked is gone, and no later process gets it', () => {
    const t = asked();
    observe(t, { type: 'exit', code: 0 });
    expect(() => t.thread.decide('d', { choice: 'yes' })).toThrow(/the process that asked is gone/);
    t.thread.message('user', 'again', null);
    expect(() => t.thread.decide('d', { choice: 'yes' })).toThrow(/the process that asked is gone/);
  });

  it('[CAT8] that a process did not read before it ended is not given to the next', () => {
    const t = asked();
    t.thread.message('user', 'more', null);
    t.thread.decide('d', { choice: 'yes' });
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.launch.epoch).toBe(2);
    const lines = t.thread.pendingInputs(0).map(({ line }) => JSON.parse(line) as { type: string });
    expect(lines).toEqual([expect.objectContaining({ type: 'message', content: 'more' })]);
  });
});
