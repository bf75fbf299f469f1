import { type AgentInput, MAX_HANDOFFS, newThreadId, type StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { readInputs } from '../../src/thread/launch.ts';
import { readOutbox, removeOutbox } from '../../src/thread/outbox.ts';
import { cut, relayMessage } from '../../src/thread/relay-message.ts';
import { newThread, observe, type TestThread } from './support/threads.ts';

const handoff = (summary: string) => ({ type: 'handoff', summary });
const done = { type: 'done' };

/** What a thread has told others since this was asked last. */
function told(t: TestThread) {
  const rows = readOutbox(t.sql, 1000);
  for (const { id } of rows) removeOutbox(t.sql, id);
  return rows.map(({ item }) => item);
}

const orders = (t: TestThread) =>
  told(t).flatMap((item) => (item.kind === 'order' ? [item.order] : []));

function startOf(t: TestThread): StartOrder {
  const order = orders(t).find(({ kind }) => kind === 'start');
  if (order?.kind !== 'start') throw new Error('no start was ordered');
  return order;
}

const contents = ({ inputs }: Pick<StartOrder, 'inputs'>): string[] =>
  inputs
    .map(({ line }) => JSON.parse(line) as AgentInput)
    .map((input) => (input.type === 'message' ? input.content : input.type));

function working(task = 'paint the shed'): TestThread {
  const t = newThread();
  t.thread.message('user', task, null);
  observe(t, { type: 'started' });
  t.say({ type: 'status', state: 'thinking' });
  told(t);
  return t;
}

/** The process that handed off is gone, and the fresh one may start. */
function goOn(t: TestThread, children?: Parameters<TestThread['thread']['go']>[1]): void {
  observe(t, { type: 'exit', code: 0, reason: 'handoff' });
  t.thread.go(t.thread.state.launch.epoch, children);
}

const relays = (t: TestThread) =>
  t
    .events()
    .filter(
      ({ source, body }) => source === 'system' && Reflect.get(Object(body), 'type') === 'handoff',
    );

describe('a handoff', () => {
  it('[HND1] ends the process, with a word that it is for a handoff', () => {
    const t = working();
    t.say(handoff('half is blue'), handoff('again'));
    expect(orders(t)).toMatchObject([{ kind: 'stop', epoch: 1, handoff: true }]);
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'idle', reason: 'handoff' });
    expect(t.thread.state.run).toBeNull();
  });

  it('[HND2] begins the next epoch with one message: summary, task, plan, commits, children, messages', () => {
    const t = working();
    t.say({
      type: 'plan',
      steps: [
        { title: 'sand it', status: 'done' },
        { title: 'paint the door', status: 'active' },
        { title: 'paint the roof' },
      ],
    });
    observe(t, { type: 'head', to: 'a'.repeat(40), ref: 'filepath/agent', message: 'feat: sand' });
    observe(t, { type: 'head', to: 'b'.repeat(40), ref: 'filepath/agent', message: 'feat: door' });
    t.thread.message('user', 'the roof is red', null);
    t.say(handoff('half is blue'));
    goOn(t, { children: [{ id: 'th_1', name: 'helper', status: 'running', reason: null }] });
    const order = startOf(t);
    expect(order).toMatchObject({ epoch: 2, fresh: true });
    expect(order.inputs).toHaveLength(1);
    const [first = ''] = contents(order);
    expect(order.task).toBe(first);
    const parts = [
      'half is blue',
      'paint the shed',
      '- [active] paint the door\n- [pending] paint the roof',
      'filepath/agent',
      `- ${'b'.repeat(12)} feat: door\n- ${'a'.repeat(12)} feat: sand`,
      '- helper (th_1): running',
      'From a person:\nthe roof is red',
      'Go on with the work from here.',
    ];
    const places = parts.map((part) => first.indexOf(part));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(first).not.toContain('sand it');
  });

  it('[HND2] keeps the task of the first run through several handoffs', () => {
    const t = working('build the bridge');
    for (const summary of ['one', 'two', 'three']) {
      t.say(handoff(summary));
      goOn(t);
      observe(t, { type: 'started' });
      const [first = ''] = contents(startOf(t));
      expect(first).toContain('build the bridge');
      expect(first).toContain(summary);
      t.say({ type: 'text', content: 'on it' });
    }
    expect(relays(t).map(({ body }) => Reflect.get(Object(body), 'task'))).toEqual([1, 1, 1]);
    t.say(done);
    t.thread.message('user', 'build another', null);
    t.say(handoff('four'));
    goOn(t);
    const [first = ''] = contents(startOf(t));
    expect(first).toContain('build another');
    expect(first).not.toContain('build the bridge');
  });

  it('[HND2] names the task, not what was said since, also in a run that a limit began', () => {
    const t = working();
    t.thread.message('user', 'the roof is red', null);
    const until = '2026-01-01T01:00:00.000Z';
    t.say({ type: 'status', state: 'error', reason: 'rate limit', until });
    goOn(t);
    observe(t, { type: 'started' });
    t.say({ type: 'status', state: 'thinking' }, handoff('half is blue'));
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    t.thread.go(3);
    expect(relays(t).at(-1)).toMatchObject({ body: { task: 1 } });
  });

  it('[HND2] says what children that have ended said last, unless that follows as a message', () => {
    const t = working();
    t.thread.configure({ agentType: 'shelley' } as never, null);
    const [roof, door, wall] = [newThreadId(), newThreadId(), newThreadId()];
    t.say(handoff('half is blue'));
    t.thread.result({ id: door, name: 'door' }, 'the door is done', 'end');
    const done = { status: 'done', reason: null };
    goOn(t, {
      children: [
        { id: roof, name: 'roof', ...done, words: 'The roof needs\ntwo coats.' },
        { id: door, name: 'door', ...done, words: 'The door is green.' },
        { id: wall, name: 'wall', ...done, words: null },
      ],
    });
    const [first = ''] = contents(startOf(t));
    expect(first).toContain(`From roof (${roof}):\nThe roof needs\ntwo coats.`);
    expect(first).not.toContain('The door is green.');
    expect(first).toContain(`- wall (${wall}): done`);
  });

  it('[HND2] stays within its bounds', () => {
    const long = 'é'.repeat(200_000);
    const text = relayMessage({
      why: 'handoff',
      summary: long,
      task: long,
      steps: Array.from({ length: 500 }, () => ({ title: long, status: 'pending' })),
      branch: long,
      commits: Array.from({ length: 500 }, () => ({ hash: 'c'.repeat(40), message: long })),
      children: Array.from({ length: 500 }, () => ({
        id: 'th_1',
        name: long,
        status: 'done',
        reason: long,
        words: long,
      })),
      messages: Array.from({ length: 50 }, () => ({ from: 'parent', content: long })),
    });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
    expect(text).not.toContain('\uFFFD');
    expect(cut('short', 100)).toBe('short');
  });

  it('[HND3] keeps messages that come while the process ends for the next one, whole and in order', () => {
    const t = working();
    t.say(handoff('half is blue'));
    told(t);
    const late = t.thread.message('user', 'use two coats', null);
    expect(late.inputs).toEqual([]);
    expect(t.thread.state.lifecycle).toMatchObject({ reason: 'queued', open: true });
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    t.thread.message('user', 'and mind the cat', null);
    t.thread.go(2);
    const [first = '', ...rest] = contents(startOf(t));
    expect(first).toContain('half is blue');
    expect(first).not.toContain('use two coats');
    expect(rest).toEqual(['use two coats', 'and mind the cat']);
    expect(t.events().filter(({ run }) => run === t.thread.state.run?.id)).toHaveLength(4);
  });

  it('[HND3] keeps the end of a child that is told while the process ends', () => {
    const t = working();
    t.thread.configure({ agentType: 'shelley' } as never, null);
    t.say(handoff('half is blue'));
    told(t);
    const child = { id: newThreadId(), name: 'helper' };
    expect(t.thread.result(child, 'the roof is done', 'end').inputs).toEqual([]);
    goOn(t);
    expect(contents(startOf(t)).slice(1)).toEqual(['the roof is done']);
  });

  it('[HND4] is one fresh epoch with one first message, whatever is told again and read anew', () => {
    let t = working();
    const { offset } = t.thread.state.launch;
    t.say(handoff('half is blue'));
    t = t.reopen();
    t.thread.lines(offset, [[offset + 5, '{"type":"handoff","summary":"again"}']], new Map());
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    t = t.reopen();
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, waits: true });
    t.thread.go(2);
    t.thread.go(2);
    t.reopen().thread.go(2);
    expect(relays(t)).toHaveLength(1);
    expect(relays(t)[0]).toMatchObject({ body: { why: 'handoff', from: 1, to: 2 } });
    expect(orders(t).filter(({ kind }) => kind === 'start')).toHaveLength(1);
  });

  it.each([
    { type: 'exit', code: 0 },
    { type: 'exit', code: 3 },
    { type: 'exit', code: null, reason: 'lost' },
  ] as const)('[HND2] goes on however the process ended: %j', (end) => {
    const t = working();
    t.say(handoff('half is blue'));
    observe(t, end);
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, waits: true });
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'idle', reason: 'queued' });
  });

  it('[HND5] starts afresh with the same note until a process has said something', () => {
    const t = working();
    t.say(handoff('half is blue'));
    goOn(t);
    startOf(t);
    t.thread.message('user', 'are you there?', null);
    observe(t, { type: 'refused', reason: 'no room' });
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'error', reason: 'no room' });
    t.thread.message('user', 'try again', null);
    t.thread.go(3);
    const third = startOf(t);
    expect(third).toMatchObject({ epoch: 3, fresh: true });
    expect(contents(third).slice(1)).toEqual(['are you there?', 'try again']);
    expect(contents(third)[0]).toContain('half is blue');
    observe(t, { type: 'started' });
    t.thread.written(3);
    t.say(done);
    observe(t, { type: 'exit', code: 0 });
    t.thread.message('user', 'next', null);
    t.thread.go(4);
    const fourth = startOf(t);
    expect(fourth.fresh).toBeUndefined();
    expect(contents(fourth)).toEqual(['next']);
  });

  it('[HND6] a stop before it goes on is a stop; the next message goes on from there', () => {
    const t = working();
    t.say(handoff('half is blue'));
    t.thread.signal('stop');
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(t.thread.state.launch).toMatchObject({ epoch: 1, active: false });
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'idle', reason: 'stopped' });
    t.thread.message('user', 'go on', null);
    t.thread.go(2);
    const order = startOf(t);
    expect(order.fresh).toBe(true);
    expect(contents(order)).toEqual([expect.stringContaining('half is blue'), 'go on']);
  });

  it('[HND6] a stop while it waits in line ends the wish', () => {
    const t = working();
    t.say(handoff('half is blue'));
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    told(t);
    t.thread.signal('stop');
    expect(told(t)).toMatchObject([
      { kind: 'result', note: { outcome: 'stopped' } },
      { kind: 'wish', note: { epoch: 2, wants: false } },
      { kind: 'status', note: { reason: 'stopped', open: false } },
    ]);
  });

  it('[HND7] waits for a person after ten in a row; a message lets it go on', () => {
    const t = working();
    for (let nth = 1; nth <= MAX_HANDOFFS; nth += 1) {
      t.say({ type: 'text', content: 'hm' }, handoff(`note ${nth}`));
      goOn(t);
      observe(t, { type: 'started' });
    }
    t.say(handoff('note 11'));
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(t.thread.state.launch.active).toBe(false);
    expect(t.thread.state.lifecycle.status).toBe('error');
    expect(t.thread.state.lifecycle.reason).toContain('10 times in a row');
    told(t);
    t.thread.message('user', 'smaller steps', null);
    t.thread.go(t.thread.state.launch.epoch);
    expect(contents(startOf(t))).toEqual([expect.stringContaining('note 11'), 'smaller steps']);
  });

  it.each([
    [
      'a commit',
      (t: TestThread) => observe(t, { type: 'head', to: 'c'.repeat(40), ref: 'b', message: 'm' }),
    ],
    ['a message of a person', (t: TestThread) => t.thread.message('user', 'well', null)],
  ] as const)('[HND7] counts anew after %s', (_what, between) => {
    const t = working();
    for (let nth = 1; nth < 2 * MAX_HANDOFFS; nth += 1) {
      if (nth === MAX_HANDOFFS) between(t);
      t.say(handoff(`note ${nth}`));
      goOn(t);
      observe(t, { type: 'started' });
    }
    expect(t.thread.state.launch.active).toBe(true);
  });

  it('[HND8] asks a running agent; one at rest is handed off by the worker', () => {
    const t = working();
    expect(
      t.thread.signal('handoff').inputs.map(({ line }) => JSON.parse(line) as unknown),
    ).toEqual([{ type: 'signal', action: 'handoff' }]);
    t.say({ type: 'text', content: 'the shed is blue' }, { type: 'done', summary: 'painted' });
    observe(t, { type: 'exit', code: 0 });
    told(t);
    t.thread.signal('handoff');
    t.thread.go(2);
    const order = startOf(t);
    expect(order.fresh).toBe(true);
    const [first = ''] = contents(order);
    expect(first).toContain('painted');
    expect(first).toContain('the shed is blue');
    expect(first).toContain('paint the shed');
    expect(() => newThread().thread.signal('handoff')).toThrow('not running');
  });

  it('counts a node that hands off or waits to go on as one at work', () => {
    const t = working();
    const open = () => told(t).flatMap((item) => (item.kind === 'status' ? [item.note.open] : []));
    t.say(handoff('half is blue'));
    expect(open()).toEqual([true]);
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(open()).toEqual([true]);
  });
});

describe('a restart', () => {
  it('[HND9] ends what runs and begins with the first task where nothing was handed off', () => {
    const t = working();
    t.thread.restart();
    expect(orders(t)).toMatchObject([{ kind: 'stop', epoch: 1, handoff: true }]);
    t.thread.message('user', 'in green', null);
    goOn(t);
    const order = startOf(t);
    expect(order).toMatchObject({ epoch: 2, fresh: true, task: 'paint the shed' });
    expect(contents(order)).toEqual(['paint the shed', 'in green']);
    expect(relays(t)[0]).toMatchObject({ body: { why: 'restart', handoff: null, task: 1 } });
  });

  it('[HND9] begins with the first message of the last handoff', () => {
    const t = working();
    t.say(handoff('half is blue'));
    goOn(t);
    const [first] = contents(startOf(t));
    observe(t, { type: 'started' });
    t.say({ type: 'text', content: 'oops' });
    t.thread.restart();
    goOn(t);
    expect(contents(startOf(t))).toEqual([first]);
  });

  it('[HND9] begins at once where nothing runs, also after a stop', () => {
    const t = working();
    t.thread.signal('stop');
    observe(t, { type: 'exit', code: 0, reason: 'stopped' });
    t.thread.restart();
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, waits: true });
    expect(t.thread.state.lifecycle).toMatchObject({ stopped: false, reason: 'queued' });
    expect(readInputs(t.sql, 2, 0)).toHaveLength(1);
    t.thread.restart();
    t.thread.go(3);
    expect(contents(startOf(t))).toEqual(['paint the shed']);
  });

  it('[HND9] needs a task', () => {
    const t = newThread();
    expect(() => t.thread.restart()).toThrow('no task yet');
    expect(t.events()).toEqual([]);
  });
});
