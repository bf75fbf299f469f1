import type { AgentInput, StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { readOutbox, removeOutbox } from '../../src/thread/outbox.ts';
import { newSession } from './support/sessions.ts';
import { newThread, observe, type TestThread } from './support/threads.ts';

/** The clock of a thread of these tests moves by 10 ms with each change. */
const NOW = Date.parse('2026-01-01T00:00:00Z');
const after = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();
const status = (state: string, until?: string) => ({ type: 'status', state, reason: 'r', until });

function told(t: TestThread) {
  const rows = readOutbox(t.sql, 100);
  for (const { id } of rows) removeOutbox(t.sql, id);
  return rows.map(({ item }) => item);
}

const kinds = (t: TestThread) => told(t).map(({ kind }) => kind);

function working(agentType = 'custom'): TestThread {
  const t = newThread(agentType);
  t.thread.message('user', 'paint the shed', null);
  observe(t, { type: 'started' });
  t.say({ type: 'status', state: 'thinking' });
  told(t);
  return t;
}

const contents = ({ inputs }: StartOrder): string[] =>
  inputs
    .map(({ line }) => JSON.parse(line) as AgentInput)
    .map((input) => (input.type === 'message' ? input.content : input.type));

const call = (retryAfterSeconds: number, startedAt = after(0)) => ({
  startedAt,
  type: 'call' as const,
  call: 'call_1',
  model: 'lab/m',
  provider: 'lab',
  outcome: 'failed' as const,
  status: 429,
  retryAfterSeconds,
});

const pause = (t: TestThread, seconds: number) =>
  t.thread.hold({ by: 'system', reason: 'limit', until: after(seconds) }, 'system');

describe('a limit of a provider', () => {
  it('[LIM1] that ends a run ends the process and is told to the session; the next process is told to go on, once', () => {
    let t = working();
    t.say(status('error', after(3600)));
    expect(told(t)).toMatchObject([
      { kind: 'limit', note: { reason: `limit until ${after(3600)}`, until: after(3600) } },
      { kind: 'order', order: { kind: 'stop', epoch: 1, handoff: true } },
      { kind: 'status', note: { status: 'error', open: true } },
    ]);
    t.thread.message('user', 'mind the cat', null);
    t = t.reopen();
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, waits: true });
    expect(t.thread.state.lifecycle).toMatchObject({
      status: 'idle',
      reason: 'queued',
      open: true,
    });
    told(t);
    t.thread.go(2);
    const [start] = told(t).flatMap((item) => (item.kind === 'order' ? [item.order] : []));
    if (start?.kind !== 'start') throw new Error('no start');
    expect(start.fresh).toBeUndefined();
    expect(contents(start)).toEqual([
      expect.stringContaining('Go on where you were'),
      'mind the cat',
    ]);
    observe(t, { type: 'started' });
    t.thread.written(2);
    t.say({ type: 'done' });
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.lifecycle.status).toBe('done');
    expect(t.events().filter(({ source }) => source === 'system')).toHaveLength(2);
  });

  it('[LIM1] is one that a running agent waits for, from a minute on, told once', () => {
    const t = working();
    t.say(status('thinking', after(30)), status('idle'));
    expect(kinds(t)).toEqual(['result', 'status']);
    t.thread.message('user', 'and now', null);
    t.say(status('thinking', after(600)), status('thinking', after(600)));
    expect(kinds(t)).toEqual(['limit', 'status']);
    expect(t.thread.state.launch).toMatchObject({ active: true, stopping: false });
  });

  it.each(['no time', '1999-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])(
    '[LIM1] is none that ends at %s',
    (until) => {
      const t = working();
      t.say(status('error', until));
      expect(kinds(t)).toEqual(['result', 'status']);
    },
  );

  it('[LIM2] is one that the gateway met, from a minute on; an error then ends by it', () => {
    const t = working();
    t.thread.gateway([{ key: 'a', body: call(59) as never }]);
    expect(kinds(t)).toEqual([]);
    t.thread.gateway([{ key: 'b', body: call(600) as never }]);
    expect(kinds(t)).toEqual(['limit']);
    t.say(status('error'));
    expect(kinds(t)).toEqual(['limit', 'order', 'status']);
  });

  it('[LIM2] ends a run also if the error is told before it', () => {
    const t = working();
    t.say(status('error'));
    observe(t, { type: 'exit', code: 0 });
    told(t);
    t.thread.gateway([{ key: 'a', body: call(600) as never }]);
    expect(kinds(t)).toEqual(['limit', 'wish', 'status']);
  });

  it.each([
    ['a model has answered', { outcome: 'completed' }],
    ['a call since it was let go on has failed', { startedAt: after(3600), status: 500 }],
  ])('[LIM2] is not what a run fails by after %s', (_, more) => {
    const t = working();
    t.thread.gateway([{ key: 'a', body: call(600) as never }]);
    pause(t, 600);
    t.thread.hold(null, 'user');
    t.thread.gateway([{ key: 'ok', body: { ...call(0), ...more } as never }]);
    told(t);
    t.say(status('error'));
    expect(kinds(t)).toEqual(['result', 'status']);
    expect(t.thread.state.launch.stopping).toBe(false);
  });

  it('[LIM5] that the agent was held still at is not met again by what it says when it goes on', () => {
    const t = working('shelley');
    t.thread.gateway([{ key: 'a', body: call(70) as never }]);
    pause(t, 70);
    t.pass(70_000);
    t.thread.hold(null, 'system');
    told(t);
    // It reads its answer now, and counts from now.
    t.say(status('thinking', after(140)));
    expect(kinds(t)).toEqual(['status']);
    t.thread.gateway([{ key: 'b', body: call(600, after(71)) as never }]);
    expect(kinds(t)).toEqual(['limit']);
  });

  it('[LIM5] that a person ended is not met again by a call that was made before', () => {
    const t = working('shelley');
    t.thread.gateway([{ key: 'a', body: call(600) as never }]);
    pause(t, 600);
    t.pass(5_000);
    t.thread.hold(null, 'user');
    told(t);
    t.say(status('thinking', after(605)));
    t.thread.gateway([{ key: 'b', body: call(600, after(1)) as never }]);
    expect(kinds(t)).toEqual(['status']);
    t.thread.gateway([{ key: 'c', body: call(600, after(6)) as never }]);
    expect(kinds(t)).toEqual(['limit']);
  });

  it.each([
    ['its time has come', (t: TestThread) => t.pass(600_000), 'system' as const],
    ['a person let it go on', () => undefined, 'user' as const],
  ])('[LIM6] by which a run ends after %s ends it without a pause, once', (_, wait, by) => {
    const t = working('shelley');
    t.thread.gateway([{ key: 'a', body: call(600) as never }]);
    pause(t, 600);
    wait(t);
    t.thread.hold(null, by);
    told(t);
    t.say(status('error', by === 'user' ? after(600) : undefined));
    expect(kinds(t)).toEqual(['order', 'status']);
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    observe(t, { type: 'started' });
    told(t);
    t.say(status('error'));
    expect(kinds(t)).toEqual(['result', 'status']);
  });

  it('[LIM6] that an agent said itself goes on too, and not again for the same time', () => {
    const t = working();
    t.say(status('thinking', after(62)));
    pause(t, 62);
    t.pass(62_000);
    t.thread.hold(null, 'system');
    told(t);
    t.say(status('error', after(62)));
    expect(kinds(t)).toEqual(['order', 'status']);
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, waits: true });
    observe(t, { type: 'started' });
    told(t);
    t.say(status('error', after(62)));
    expect(kinds(t)).toEqual(['result', 'status']);
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'error', open: false });
  });

  it('[LIM6] is gone on from if nobody was told of it before it was over, and not every moment', () => {
    const t = working();
    t.pass(60_000);
    t.say(status('error', after(30)));
    expect(kinds(t)).toEqual(['order', 'status']);
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    observe(t, { type: 'started' });
    told(t);
    t.say(status('error', after(60)));
    expect(kinds(t)).toEqual(['result', 'status']);
  });

  it('[LIM6] that is over is not what a run fails by long after, or after a call', () => {
    const failed = { ...call(0, after(63)), status: 500 };
    for (const later of [
      (t: TestThread) => t.pass(11 * 60_000),
      (t: TestThread) => t.thread.gateway([{ key: 'f', body: failed as never }]),
    ]) {
      const t = working();
      t.say(status('thinking', after(62)));
      pause(t, 62);
      t.pass(62_000);
      t.thread.hold(null, 'system');
      later(t);
      told(t);
      t.say(status('error', after(62)));
      expect(kinds(t)).toEqual(['result', 'status']);
    }
  });

  it('[LIM5] that is shorter than one that a person ended is a new one', () => {
    const t = working();
    t.say(status('thinking', after(5 * 86_400)));
    pause(t, 5 * 86_400);
    t.thread.hold(null, 'user');
    told(t);
    t.say(status('thinking', after(5 * 86_400)));
    expect(kinds(t)).toEqual([]);
    t.say(status('thinking', after(3 * 3600)));
    expect(kinds(t)).toEqual(['limit']);
  });

  it('[LIM4] has the name of the provider where there is one', () => {
    const reasons = (t: TestThread) =>
      told(t).flatMap((item) => (item.kind === 'limit' ? [item.note.reason.split(' ')[0]] : []));
    const plain = newThread('custom', { model: 'offline/demo' });
    const claude = newThread('claude', { model: 'anthropic/opus' });
    for (const t of [plain, claude]) {
      t.thread.message('user', 'paint the shed', null);
      observe(t, { type: 'started' });
      told(t);
      t.say(status('thinking', after(600)));
    }
    expect([reasons(plain), reasons(claude)]).toEqual([['limit'], ['anthropic']]);
    const metered = working();
    metered.thread.gateway([{ key: 'a', body: call(600) as never }]);
    expect(reasons(metered)).toEqual(['lab']);
  });

  it('[LIM3] goes on no more after a stop', () => {
    const t = working();
    t.say(status('error', after(3600)));
    t.thread.signal('stop');
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(t.thread.state.launch.active).toBe(false);
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'idle', reason: 'stopped' });
    t.thread.message('user', 'another thing', null);
    observe(t, { type: 'started' });
    told(t);
    t.say(status('error'));
    expect(kinds(t)).toEqual(['result', 'status']);
  });
});

it('[LIM3] what was said in a run that a limit ended is told to the process that goes on', () => {
  const t = working('shelley');
  t.thread.message('user', 'mind the cat', null);
  t.thread.written(2);
  // It was said while the model was being asked: the agent ends its run before it reads on.
  t.say(status('error', after(3600)));
  observe(t, { type: 'exit', code: 0, reason: 'handoff' });
  told(t);
  t.thread.go(2);
  const [start] = told(t).flatMap((item) => (item.kind === 'order' ? [item.order] : []));
  if (start?.kind !== 'start') throw new Error('no start');
  const [goOn, ...more] = contents(start);
  expect(more).toEqual([]);
  expect(goOn).toContain('Go on where you were');
  expect(goOn).toContain('From a person:\nmind the cat');
  // An agent of the catalog has its conversation.
  expect(goOn).not.toContain('paint the shed');
});

it('[LIM3] a program that keeps nothing is told its task again, however often a limit ends it', () => {
  const t = working();
  t.thread.message('user', 'mind the cat', null);
  t.thread.written(2);
  for (const epoch of [2, 3]) {
    t.say(status('error', after(3600 * epoch)));
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    told(t);
    t.thread.go(epoch);
    const [start] = told(t).flatMap((item) => (item.kind === 'order' ? [item.order] : []));
    if (start?.kind !== 'start') throw new Error('no start');
    expect(start.task).toContain('paint the shed');
    expect(start.task).toContain('From a person:\nmind the cat');
    observe(t, { type: 'started' });
    t.say({ type: 'status', state: 'thinking' });
  }
});

it('[LIM3] an agent that hands off at a limit goes on once, by its handoff', () => {
  const t = working();
  t.say(status('error', after(3600)), { type: 'handoff', summary: 'half' });
  observe(t, { type: 'exit', code: 0, reason: 'handoff' });
  expect(t.thread.state.launch).toMatchObject({ epoch: 2, waits: true });
  observe(t, { type: 'started' });
  t.say({ type: 'done', summary: 'whole' });
  observe(t, { type: 'exit', code: 0 });
  expect(t.thread.state.launch).toMatchObject({ epoch: 2, active: false });
  expect(t.thread.state.lifecycle).toMatchObject({ open: false, status: 'done' });
});

describe('a tree at a limit', () => {
  const reason = 'lab limit until then';

  it('[LIM4] pauses from the agent downwards until the limit is over, once', () => {
    const { session, add, clock, wish, going } = newSession();
    const root = add();
    const agent = add(root);
    const child = add(agent);
    const held = () => [root, agent, child].map((id) => session.nodes.find(id)?.held ?? null);
    const until = new Date(clock.now + 3_600_000).toISOString();
    session.noteLimit(agent, { seq: 5, reason, until });
    wish(agent);
    const pause = JSON.stringify({ by: 'system', reason, until });
    expect(held()).toEqual([null, pause, pause]);
    const shown = () => session.tree().nodes.map(({ limit }) => limit);
    expect(shown()).toEqual([undefined, { reason, until, seq: 5 }, undefined]);
    expect(going()).toEqual([]);
    expect(session.nextResume()).toBe(clock.now + 3_600_000);
    session.takeTouched();
    session.resume(agent);
    expect(session.takeTouched().map(({ json }) => json)).toContainEqual(
      expect.stringContaining(agent),
    );
    session.noteLimit(agent, { seq: 5, reason, until });
    expect(shown()).toEqual([undefined, undefined, undefined]);
    expect(held()).toEqual([null, null, null]);
    session.noteLimit(agent, { seq: 6, reason, until });
    clock.now += 3_600_000;
    session.resumeDue();
    expect(held()).toEqual([null, null, null]);
    expect(going()).toEqual([agent]);
  });

  it("[LIM4] leaves a person's pause and a stop as they are, and takes the later of two limits", () => {
    const { session, add, clock } = newSession();
    const [paused, stopped, twice] = [add(), add(), add()];
    const at = (seconds: number) => new Date(clock.now + seconds * 1000).toISOString();
    session.pause(paused, { by: 'user', reason: null, until: null });
    session.halt(stopped);
    for (const id of [paused, stopped]) session.noteLimit(id, { seq: 1, reason, until: at(600) });
    expect(session.nodes.find(paused)?.pause).toContain('"user"');
    expect(session.nodes.find(stopped)?.pause).toBeNull();
    session.noteLimit(twice, { seq: 1, reason, until: at(600) });
    session.noteLimit(twice, { seq: 2, reason, until: at(60) });
    expect(session.nodes.find(twice)?.pause).toContain(at(600));
    session.noteLimit(twice, { seq: 3, reason, until: at(900) });
    expect(session.nodes.find(twice)?.pause).toContain(at(900));
  });
});
