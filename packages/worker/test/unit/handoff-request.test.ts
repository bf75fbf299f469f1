import { type AgentInput, StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { HANDOFF_GRACE_MS } from '../../src/thread/handoff-request.ts';
import { readOutbox } from '../../src/thread/outbox.ts';
import { newThread, observe, type TestThread } from './support/threads.ts';

const { plain, known } = HANDOFF_GRACE_MS;

function working(agentType = 'custom'): TestThread {
  const t = newThread(agentType);
  t.thread.message('user', 'paint the shed', null);
  observe(t, { type: 'started' });
  t.say({ type: 'status', state: 'thinking' }, { type: 'text', content: 'half is blue' });
  return t;
}

const signals = (t: TestThread) =>
  t
    .events()
    .map(({ source, body }) => ({ source, ...Object(body) }) as Record<string, unknown>)
    .filter(({ type, action }) => type === 'signal' && action === 'handoff');

const orders = (t: TestThread) =>
  readOutbox(t.sql, 100).flatMap(({ item }) => (item.kind === 'order' ? [item.order] : []));

/** Nothing happens when its time comes. */
function expectNoTimer(t: TestThread): void {
  expect(t.thread.handoffDue).toBeNull();
  const { seq } = t.thread.state;
  t.pass(known);
  expect(t.thread.handoffOverdue().stored).toEqual([]);
  expect(t.thread.state.seq).toBe(seq);
}

describe('a person’s wish for a handoff', () => {
  it.each([
    ['custom', plain],
    ['shelley', known],
  ])('[HND10] is carried out by filepath where %s does not in time', (agentType, grace) => {
    let t = working(agentType);
    t.thread.signal('handoff');
    const until = t.thread.handoffDue ?? 0;
    expect(signals(t)).toMatchObject([{ source: 'user', until: new Date(until).toISOString() }]);
    t.pass(grace - 1000);
    expect(t.thread.handoffOverdue().stored).toEqual([]);
    t = t.reopen();
    t.pass(1000);
    t.thread.handoffOverdue();
    expect(signals(t).at(-1)).toMatchObject({ source: 'system' });
    expect(signals(t).at(-1)?.['reason']).toContain('agent has not handed off in');
    expect(orders(t).at(-1)).toMatchObject({ kind: 'stop', epoch: 1, handoff: true });
    expect(t.thread.state.lifecycle).toMatchObject({ reason: 'handoff', open: false });
    expectNoTimer(t);
    observe(t, { type: 'exit', code: null, reason: 'handoff' });
    t.thread.go(2);
    const start = StartOrder.parse(orders(t).at(-1));
    expect(start).toMatchObject({ epoch: 2, fresh: true });
    const [note] = start.inputs.map(({ line }) => JSON.parse(line) as AgentInput);
    expect(note).toMatchObject({ content: expect.stringContaining('half is blue') });
    expect(note).toMatchObject({ content: expect.stringContaining('paint the shed') });
  });

  it('[HND10] is not put off by being told again', () => {
    const t = working();
    t.thread.signal('handoff');
    const due = t.thread.handoffDue;
    t.pass(20_000);
    expect(t.thread.signal('handoff').inputs).toHaveLength(1);
    expect(t.thread.handoffDue).toBe(due);
    expect(signals(t).map(({ until }) => until)).toEqual(Array(2).fill(signals(t)[0]?.['until']));
    t.pass(10_000);
    t.thread.handoffOverdue();
    expect(t.thread.state.lifecycle.handing).toBe(true);
  });

  it.each<[string, (t: TestThread) => void]>([
    ['a stop', (t) => t.thread.signal('stop')],
    ['the end of the run', (t) => t.say({ type: 'done' })],
    ['the end of the process', (t) => observe(t, { type: 'exit', code: 1 })],
    ['a handoff of its own', (t) => t.say({ type: 'handoff', summary: 's' })],
    ['a restart', (t) => t.thread.restart()],
  ])('[HND10] is withdrawn by %s', (_what, happens) => {
    const t = working();
    t.thread.signal('handoff');
    happens(t);
    expectNoTimer(t.reopen());
  });

  it('[HND10] is withdrawn by the end of the run also where a message waits for that', () => {
    const t = working();
    t.thread.message('user', 'then the roof', null, 'after');
    t.thread.signal('handoff');
    t.say({ type: 'done' });
    expect(t.thread.state.lifecycle.open).toBe(true);
    expectNoTimer(t);
  });

  it('[HND10] stands where a message takes the place of the run', () => {
    const t = newThread();
    t.thread.message('user', 'paint the shed', null);
    observe(t, { type: 'started' });
    t.thread.signal('handoff');
    t.thread.message('user', 'and the roof', null);
    t.pass(plain);
    t.thread.handoffOverdue();
    expect(t.thread.state.lifecycle.handing).toBe(true);
  });

  it('[HND10] takes no time from one that is held still, and gives it all when it goes on', () => {
    const t = working();
    t.thread.signal('handoff');
    t.thread.hold({ by: 'user', reason: null, until: null }, 'user');
    expectNoTimer(t);
    t.thread.signal('handoff');
    expectNoTimer(t);
    t.thread.hold(null, 'user');
    t.pass(plain - 1000);
    expect(t.thread.handoffOverdue().stored).toEqual([]);
    t.pass(1000);
    t.thread.handoffOverdue();
    expect(t.thread.state.lifecycle.handing).toBe(true);
  });

  it('[HND10] waits for one that is starting', () => {
    const t = newThread();
    t.thread.message('user', 'paint the shed', null);
    t.thread.go(1);
    t.thread.signal('handoff');
    t.pass(plain);
    t.thread.handoffOverdue();
    expect(signals(t)).toHaveLength(1);
    observe(t, { type: 'started' });
    t.pass(plain);
    t.thread.handoffOverdue();
    expect(signals(t)).toHaveLength(2);
  });

  it('[HND10] gives the process after it what was not answered, and counts from one again', () => {
    const t = working();
    t.thread.message('user', 'the roof is red', null);
    t.thread.signal('handoff');
    t.pass(plain);
    t.thread.handoffOverdue();
    t.thread.message('user', 'mind the cat', null);
    observe(t, { type: 'exit', code: null, reason: 'handoff' });
    t.thread.go(2);
    const { inputs } = StartOrder.parse(orders(t).at(-1));
    const said = inputs.map(({ line }) => JSON.parse(line) as { content: string });
    expect(said[0]?.content).toContain('the roof is red');
    expect(said.slice(1)).toMatchObject([{ content: 'mind the cat' }]);
    expect(t.thread.state.handoffs).toBe(0);
  });
});
