import { expect, it, vi } from 'vitest';
import { LateResumes } from '../../../src/liteclaw/late-resumes.ts';

const frame = (body: string, more: object = {}) =>
  JSON.stringify({ type: 'cf_agent_use_chat_response', id: 'r1', body, done: false, ...more });

function reader(id: string) {
  const got: string[] = [];
  return { id, got, send: (text: string) => void got.push(text) };
}

const END = frame('', { done: true });

it('[CLAW4] who answers after the end gets the whole before it, once', () => {
  const one = reader('one');
  const late = new LateResumes(() => one);
  late.told('one', 'r1');
  expect(late.sent(frame('a'))).toEqual(['one']);
  expect(late.sent(frame('b'))).toEqual(['one']);
  expect(late.sent(END)).toEqual(['one']);
  expect(late.answered(one, 'r1')).toBe(true);
  expect(one.got).toEqual([frame('a'), frame('b'), END]);
  expect(late.answered(one, 'r1')).toBe(false);
});

it('[CLAW4] who answered in time, or was told of another stream, gets the end like everybody', () => {
  const late = new LateResumes(() => undefined);
  late.told('one', 'r1');
  late.told('other', 'r2');
  expect(late.answered(reader('one'), 'r1')).toBe(false);
  expect(late.sent(END)).toEqual([]);
});

it('[CLAW4] who never answers gets the end after a while, and who has left nothing', () => {
  vi.useFakeTimers();
  try {
    const one = reader('one');
    const late = new LateResumes((id) => (id === 'one' ? one : undefined));
    late.told('one', 'r1');
    late.told('gone', 'r1');
    expect(late.sent(END)).toEqual(['one', 'gone']);
    late.gone('gone');
    vi.advanceTimersByTime(3_000);
    expect(one.got).toEqual([END]);
  } finally {
    vi.useRealTimers();
  }
});

it('[CLAW4] the wait for one stream does not end that for the next', () => {
  vi.useFakeTimers();
  try {
    const one = reader('one');
    const late = new LateResumes(() => one);
    late.told('one', 'r1');
    late.sent(END);
    late.answered(one, 'r1');
    vi.advanceTimersByTime(2_000);
    late.told('one', 'r2');
    late.sent(frame('a', { id: 'r2' }));
    vi.advanceTimersByTime(2_000);
    const end = frame('', { id: 'r2', done: true });
    expect(late.sent(end)).toEqual(['one']);
    expect(late.answered(one, 'r2')).toBe(true);
    expect(one.got).toEqual([END, frame('a', { id: 'r2' }), end]);
  } finally {
    vi.useRealTimers();
  }
});
