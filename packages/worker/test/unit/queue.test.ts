import { type LogEvent, MessageId, newMessageId, QUEUE_LIMITS } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { newThread, observe, type TestThread } from './support/threads.ts';

const JOB = { commit: null, clean: true, checks: [] } as const;

function working(t = newThread()): TestThread {
  t.thread.message('user', 'task', null);
  observe(t, { type: 'started' });
  t.thread.written(1);
  t.say({ type: 'status', state: 'running' });
  return t;
}

const after = (t: TestThread, content: string, key: string | null = null) =>
  t.thread.message('user', content, key, 'after');
const waiting = (t: TestThread) => t.thread.queue.map(({ content }) => content);
const idOf = (t: TestThread, at = 0) => MessageId.parse(t.thread.queue[at]?.id);
const bodies = (t: TestThread, type: string) =>
  t
    .events()
    .map(({ body }: LogEvent) => body as Record<string, unknown>)
    .filter((body) => body['type'] === type);
const messages = (t: TestThread) => bodies(t, 'message').map(({ content }) => content);
const runs = (t: TestThread) => t.sql.all('SELECT run FROM runs').length;

describe('a message for after the run', () => {
  it('[TALK9] waits while a run is open: it opens none, steers none, and is no input', () => {
    const t = working();
    const before = t.thread.state.lifecycle;
    const { inputs, seq } = after(t, 'later', 'k');
    expect(inputs).toEqual([]);
    expect(after(t, 'later', 'k').seq).toBe(seq);
    expect(t.thread.state.lifecycle).toEqual(before);
    expect(t.thread.pendingInputs(1)).toEqual([]);
    expect(runs(t)).toBe(1);
    expect(bodies(t, 'queued')).toEqual([{ type: 'queued', id: idOf(t), content: 'later' }]);
    expect(t.reopen().thread.queue).toMatchObject([{ seq, content: 'later' }]);
  });

  it('[TALK9] goes at once where no run is open', () => {
    const t = newThread();
    after(t, 'task');
    expect(messages(t)).toEqual(['task']);
    observe(t, { type: 'started' });
    t.say({ type: 'done' });
    expect(after(t, 'more').inputs).toHaveLength(1);
    expect(t.thread.queue).toEqual([]);
  });

  it('[TALK9] is any message to an agent that cannot be steered, unless it is for now', () => {
    const t = working(newThread('qwen', { steers: false }));
    t.thread.message('user', 'usual', null, null);
    expect(t.thread.message('user', 'now', null, 'now').inputs).toHaveLength(1);
    expect(t.thread.message('parent', 'of the parent', null).inputs).toHaveLength(1);
    expect(waiting(t)).toEqual(['usual']);
    const steered = working();
    expect(steered.thread.message('user', 'usual', null, null).inputs).toHaveLength(1);
  });

  it('[TALK9] is refused when the queue is full, by number and by size', () => {
    const many = working();
    for (let at = 0; at < QUEUE_LIMITS.messages; at += 1) after(many, `m${at}`);
    expect(() => after(many, 'one more')).toThrow(/queue of agent is full/);
    expect(many.thread.queue).toHaveLength(QUEUE_LIMITS.messages);
    const large = working();
    const part = 'ä'.repeat(64 * 1024);
    for (let at = 0; at < 4; at += 1) after(large, part);
    expect(() => after(large, 'x')).toThrow(/full/);
    large.thread.requeue(idOf(large), 'short');
    after(large, 'x');
    expect(() => large.thread.requeue(idOf(large), part)).toThrow(/full/);
    expect(waiting(large)[0]).toBe('short');
  });

  it('[TALK10] is changed in its place and withdrawn until it is delivered', () => {
    const t = working();
    for (const content of ['a', 'b', 'c']) after(t, content);
    const [a, b] = [idOf(t, 0), idOf(t, 1)];
    t.thread.requeue(a, 'A');
    const { seq } = t.thread.state;
    t.thread.requeue(a, 'A');
    expect(t.thread.state.seq).toBe(seq);
    t.thread.withdraw(b);
    expect(waiting(t)).toEqual(['A', 'c']);
    expect(bodies(t, 'requeued')).toEqual([{ type: 'requeued', id: a, content: 'A' }]);
    expect(bodies(t, 'withdrawn')).toEqual([{ type: 'withdrawn', id: b }]);
    t.say({ type: 'done' });
    for (const id of [a, b, newMessageId()]) {
      expect(() => t.thread.requeue(id, 'x')).toThrow(/does not exist/);
      expect(() => t.thread.withdraw(id)).toThrow(/does not exist/);
    }
    expect(messages(t)).toEqual(['task', 'A']);
  });
});

describe('the end of a run', () => {
  it('[TALK11] delivers the first message with its id, one after another', () => {
    let t = working();
    after(t, 'a');
    after(t, 'b');
    const id = idOf(t);
    const { inputs, stored } = t.say({ type: 'text', content: 'bye' }, { type: 'done' });
    expect(inputs.map(({ line }) => JSON.parse(line) as unknown)).toEqual([
      { type: 'message', from: 'user', content: 'a' },
    ]);
    expect(stored.map(({ source }) => source)).toEqual(['fap', 'fap', 'user']);
    expect(bodies(t, 'message').at(-1)).toEqual({
      type: 'message',
      from: 'user',
      content: 'a',
      queued: id,
    });
    expect(t.thread.state.lifecycle).toMatchObject({ open: true, status: 'running' });
    expect(runs(t)).toBe(2);
    t = t.reopen();
    expect(waiting(t)).toEqual(['b']);
    t.say({ type: 'text', content: 'working' });
    expect(waiting(t)).toEqual(['b']);
    t.say({ type: 'status', state: 'error', reason: 'no' });
    expect(messages(t)).toEqual(['task', 'a', 'b']);
    t.say({ type: 'done' });
    expect(t.thread.state.lifecycle).toMatchObject({ open: false, status: 'done' });
  });

  it('[TALK11] orders a process where there is none', () => {
    const t = working();
    after(t, 'a');
    observe(t, { type: 'exit', code: 1 });
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, waits: true });
    expect(t.thread.taskOf(2)).toBe('a');
    after(t, 'b');
    expect(waiting(t)).toEqual(['b']);
  });

  it('[TALK11] is stored with the delivery or not at all', () => {
    const t = working();
    after(t, 'a');
    t.sql.run(
      `CREATE TRIGGER broken BEFORE DELETE ON queue BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    );
    expect(() => t.say({ type: 'done' })).toThrow(/broken/);
    const again = t.reopen();
    expect(again.thread.state.lifecycle.open).toBe(true);
    expect(bodies(again, 'done')).toEqual([]);
    t.sql.run('DROP TRIGGER broken');
    again.say({ type: 'done' });
    expect(messages(again)).toEqual(['task', 'a']);
    expect(again.reopen().thread.queue).toEqual([]);
  });

  it('[TALK11] is not a handoff: the fresh process ends its run first', () => {
    const t = working();
    after(t, 'a');
    t.say({ type: 'handoff', summary: 'half' });
    expect(waiting(t)).toEqual(['a']);
    after(t, 'b');
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(waiting(t)).toEqual(['a', 'b']);
    observe(t, { type: 'started' });
    t.say({ type: 'status', state: 'running' });
    expect(waiting(t)).toEqual(['a', 'b']);
    t.say({ type: 'done' });
    expect(waiting(t)).toEqual(['b']);
  });

  it('[TALK11] is the end of the gates where there are some', () => {
    const t = working();
    const { epoch, observed } = t.thread.state.launch;
    t.thread.observed(observed + 1, {
      type: 'gates',
      epoch,
      commands: [{ name: 'test', command: 'true' }],
      attempts: 1,
    } as never);
    after(t, 'a');
    t.say({ type: 'done' });
    expect(waiting(t)).toEqual(['a']);
    const job = t.thread.state.lifecycle.gate?.job;
    t.thread.jobDone({ type: 'gate', job, passed: true, ...JOB } as never);
    expect(messages(t)).toEqual(['task', 'a']);
  });

  it('[TALK11] delivers nothing while the agent is paused, and goes on with the resume', () => {
    const t = working();
    after(t, 'a');
    t.thread.hold({ by: 'user', reason: null, until: null }, 'user');
    t.say({ type: 'done' });
    expect(waiting(t)).toEqual(['a']);
    t.thread.hold(null, 'user');
    expect(messages(t)).toEqual(['task', 'a']);
  });

  it('[TALK11] at a limit of the provider is none: the run goes on after it', () => {
    const t = working();
    after(t, 'a');
    t.say({ type: 'status', state: 'error', until: '2026-01-01T01:00:00.000Z' });
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(waiting(t)).toEqual(['a']);
    observe(t, { type: 'started' });
    t.say({ type: 'done' });
    expect(waiting(t)).toEqual([]);
  });

  it('[TALK12] by a stop leaves the queue standing, says so once, and a later run takes it up', () => {
    const t = working();
    after(t, 'a');
    t.thread.signal('stop');
    t.say({ type: 'status', state: 'idle', reason: 'stopped' });
    observe(t, { type: 'exit', code: 0, reason: 'stopped' });
    expect(waiting(t)).toEqual(['a']);
    expect(bodies(t, 'queue_stands')).toEqual([{ type: 'queue_stands', messages: 1 }]);
    t.thread.message('user', 'go on', null);
    observe(t, { type: 'started' });
    t.thread.written(1);
    t.say({ type: 'done' });
    expect(messages(t)).toEqual(['task', 'go on', 'a']);
  });

  it('[TALK12] by the runner leaves it standing too', () => {
    const t = working();
    after(t, 'a');
    observe(t, { type: 'exit', code: null, reason: 'stopped' });
    expect(waiting(t)).toEqual(['a']);
    expect(bodies(t, 'queue_stands')).toHaveLength(1);
  });

  it('[TALK10] by a deletion empties the queue', () => {
    const t = working();
    after(t, 'a');
    t.thread.erase();
    expect(t.sql.all('SELECT id FROM queue')).toEqual([]);
  });
});

describe('[TALK14] a message to an agent that is being stopped', () => {
  const exit = { type: 'exit', code: 143, reason: 'stopped' } as const;

  it.each(['now', 'after', null] as const)(
    'waits, and goes when its process has ended, before what stood there: %s',
    (deliver) => {
      let t = working();
      after(t, 'stood');
      t.thread.signal('stop');
      t.thread.message('user', 'on', null, deliver);
      t.thread.message('user', 'and on', null, deliver);
      expect(waiting(t)).toEqual(['stood', 'on', 'and on']);
      t = t.reopen();
      observe(t, exit);
      expect(messages(t)).toEqual(['task', 'on']);
      expect(waiting(t)).toEqual(['stood', 'and on']);
      expect(t.thread.state.lifecycle).toMatchObject({ open: true, stopped: false });
      expect(t.thread.state.launch).toMatchObject({ epoch: 2, active: true });
    },
  );

  it('stands when it was withdrawn, or another stop came after it', () => {
    for (const undo of [
      (t: TestThread) => t.thread.withdraw(idOf(t)),
      (t: TestThread) => t.thread.signal('stop'),
    ]) {
      const t = working();
      t.thread.signal('stop');
      t.thread.message('user', 'on', null);
      undo(t);
      observe(t, exit);
      expect(messages(t)).toEqual(['task']);
      expect(t.thread.state.launch).toMatchObject({ epoch: 1, active: false });
    }
  });
});
