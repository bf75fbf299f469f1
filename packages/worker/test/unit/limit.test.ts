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

function working(): TestThread {
  const t = newThread();
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

const call = (retryAfterSeconds: number) => ({
  type: 'call' as const,
  call: 'call_1',
  model: 'lab/m',
  provider: 'lab',
  outcome: 'failed' as const,
  status: 429,
  retryAfterSeconds,
});

describe('a limit of a provider', () => {
  it('[LIM1] that ends a run ends the process and is told to the session; the next process is told to go on, once', () => {
    let t = working();
    t.say(status('error', after(3600)));
    expect(told(t)).toMatchObject([
      { kind: 'limit', note: { reason: `custom limit until ${after(3600)}`, until: after(3600) } },
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
    ['a person let it go on', (t: TestThread) => t.thread.hold(null, 'user')],
    [
      'a model has answered',
      (t: TestThread) =>
        t.thread.gateway([{ key: 'ok', body: { ...call(0), outcome: 'completed' } as never }]),
    ],
  ])('[LIM2] is not what a run fails by after %s', (_, pass) => {
    const t = working();
    t.thread.gateway([{ key: 'a', body: call(600) as never }]);
    t.thread.hold({ by: 'system', reason: 'limit', until: after(600) }, 'system');
    pass(t);
    told(t);
    t.say(status('error'));
    expect(kinds(t)).toEqual(['result', 'status']);
    expect(t.thread.state.launch.stopping).toBe(false);
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
  const t = working();
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
  expect(goOn).not.toContain('paint the shed');
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
