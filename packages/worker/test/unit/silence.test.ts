import { describe, expect, it } from 'vitest';
import type { StopOrder } from '@filepath/protocol';
import { newThread, observe, type TestThread } from './support/threads.ts';

function working(): TestThread {
  const t = newThread();
  t.thread.message('user', 'go', null);
  observe(t, { type: 'started' });
  return t;
}

function silence(t: TestThread, seconds: number): void {
  const { epoch, observed } = t.thread.state.launch;
  expect(t.thread.observed(observed + 1, { type: 'silent', epoch, seconds })).not.toBe('resync');
}

const told = (t: TestThread): unknown[] =>
  t.events().filter(({ body }) => (body as { type: string }).type === 'silent');

const stops = (t: TestThread): StopOrder[] =>
  t.sql
    .all<{ payload: string }>(`SELECT payload FROM outbox WHERE key LIKE 'stop:%'`)
    .map(({ payload }) => (JSON.parse(payload) as { order: StopOrder }).order);

describe('a silent agent that owes an answer', () => {
  it('[RUN46] is shown, and ended as stalled when it stays silent', () => {
    const t = working();
    silence(t, 900);
    expect(t.thread.state.lifecycle.reason).toBe('silent for 15 minutes');
    expect(stops(t)).toEqual([]);
    silence(t, 1800);
    expect(told(t)).toHaveLength(2);
    expect(stops(t)).toMatchObject([
      { epoch: 1, graceMs: 0, inputs: [], limit: 'stalled: nothing heard for 30 minutes' },
    ]);
    t.thread.message('user', 'more', null);
    expect(t.thread.queue).toMatchObject([{ content: 'more' }]);
  });

  it('[RUN46] goes on when something was heard in between', () => {
    const t = working();
    silence(t, 900);
    t.say({ type: 'text', content: 'here' });
    silence(t, 900);
    expect(stops(t)).toEqual([]);
  });

  it('[RUN46] is not ended while its children may be at work', () => {
    const t = working();
    t.say({ type: 'spawn', name: 'c', agent: 'custom', model: 'm', task: 't' });
    const { thread } = newThread().thread.meta;
    t.thread.system({ type: 'spawned', spawn: 3, node: thread, name: 'c' }, 'k');
    silence(t, 900);
    silence(t, 1800);
    expect(told(t)).toHaveLength(2);
    expect(stops(t)).toEqual([]);
  });
});

it('[RUN46] silence where nothing is owed is counted and not logged', () => {
  const t = working();
  t.say({ type: 'done' });
  const { seq } = t.thread.state;
  silence(t, 900);
  silence(t, 1800);
  expect(t.thread.state).toMatchObject({ seq, launch: { observed: 3 } });
  expect(stops(t)).toEqual([]);
});
