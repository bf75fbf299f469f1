import { type GateResult, JobId, type Order, Receipt, type RunReceipt } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { readOutbox } from '../../src/thread/outbox.ts';
import { newThread, observe, type TestThread } from './support/threads.ts';

const COMMIT = '5f2c8d1b'.repeat(5);
const TEST = { name: 'test', run: 'npm test' };

const orders = (t: TestThread): Order[] =>
  readOutbox(t.sql, 100).flatMap(({ item }) => (item.kind === 'order' ? [item.order] : []));

/** The gates that were ordered, in order. */
const gatesOf = (t: TestThread): JobId[] =>
  orders(t).flatMap((order) =>
    order.kind === 'job' && order.do.type === 'gate' ? [order.id] : [],
  );

const lastGate = (t: TestThread): JobId => JobId.parse(gatesOf(t).at(-1));

/** The runner tells the gates of the epoch that is about to start, and starts it. */
function begin(t: TestThread, attempts = 1): void {
  const { epoch, observed } = t.thread.state.launch;
  const commands = [{ name: 'test', command: 'npm test' }];
  t.thread.observed(observed + 1, { type: 'gates', epoch, from: 'node', commands, attempts });
  observe(t, { type: 'started' });
}

function working(attempts = 1): TestThread {
  const t = newThread();
  const config = { ...t.thread.meta.config, gates: { commands: [TEST] }, envVars: { A: 'b' } };
  const { name, model } = t.thread.meta;
  t.thread.configure({ name, model, config }, null);
  t.thread.message('user', 'do it', null);
  t.thread.go(1);
  begin(t, attempts);
  return t;
}

function end(t: TestThread, passed: boolean, more: Partial<GateResult> = {}) {
  return t.thread.jobDone({
    type: 'gate',
    job: lastGate(t),
    passed,
    commit: COMMIT,
    clean: true,
    checks: [
      {
        name: 'test',
        command: 'npm test',
        outcome: passed ? 'passed' : 'failed',
        exit: passed ? 0 : 1,
        seconds: 2,
        tail: passed ? '' : 'one is red',
      },
    ],
    ...more,
  });
}

const runReceipts = (t: TestThread): RunReceipt[] =>
  t.sql
    .all<{ body: string }>('SELECT body FROM receipts ORDER BY id')
    .map(({ body }) => Receipt.parse(JSON.parse(body)))
    .flatMap((receipt) => (receipt.type === 'receipt.run' ? [receipt] : []));

const types = (t: TestThread): unknown[] =>
  t.events().map(({ body }) => Reflect.get(Object(body), 'type'));

const starts = (t: TestThread): number => orders(t).filter(({ kind }) => kind === 'start').length;

describe('an agent that calls its work done', () => {
  it('[GATE2] is tested: the order is stored with what names it, and the run is open until its result', () => {
    const t = working();
    t.say({ type: 'done', summary: 's' });
    expect(orders(t).at(-1)).toMatchObject({
      kind: 'job',
      do: { type: 'gate', epoch: 1, gates: { commands: [TEST] }, envVars: { A: 'b' } },
    });
    expect(t.events().at(-1)?.body).toEqual({ type: 'gate_begun', job: lastGate(t), attempt: 1 });
    const { thread } = t.reopen();
    expect(thread.state.lifecycle).toMatchObject({ status: 'running', reason: 'gate' });
    expect(thread.state.run).not.toBeNull();
    expect(runReceipts(t)).toEqual([]);
    observe(t, { type: 'exit', code: 0 });
    expect(gatesOf(t), 'one claim, one gate').toHaveLength(1);
    expect(starts(t)).toBe(1);
  });

  it('[GATE2] is tested by what it was started with, whatever is configured meanwhile', () => {
    const t = working();
    const { name, model, config } = t.thread.meta;
    const gates = { commands: [{ name: 'new', run: 'true' }] };
    t.thread.configure({ name, model, config: { ...config, gates } }, null);
    t.say({ type: 'done' });
    expect(orders(t).at(-1)).toMatchObject({
      do: { type: 'gate', gates: { commands: [TEST] } },
    });
    const { gates: _gates, ...without } = config;
    t.thread.configure({ name, model, config: without }, null);
    end(t, false);
    t.say({ type: 'done' });
    expect(orders(t).at(-1)).toMatchObject({ do: { gates: { commands: [TEST] } } });
    // A later start has what is configured then.
    t.thread.configure({ name, model, config: { ...config, gates } }, null);
    observe(t, { type: 'exit', code: 0 });
    end(t, false);
    t.thread.message('user', 'again', null);
    t.thread.go(2);
    begin(t);
    t.say({ type: 'done' });
    expect(orders(t).at(-1)).toMatchObject({ do: { type: 'gate', epoch: 2, gates } });
  });

  it('[GATE4] and passes is done; its receipt is verified and has what was run', () => {
    const t = working();
    t.say({ type: 'done' });
    end(t, true);
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'done', open: false });
    const [receipt, ...others] = runReceipts(t);
    expect(others).toEqual([]);
    expect(receipt).toMatchObject({
      status: 'completed',
      verified: true,
      ended_by: t.thread.state.seq,
      gate: { passed: true, commit: COMMIT, clean: true, checks: [{ name: 'test', exit: 0 }] },
    });
    expect(end(t, true).stored, 'a result is stored once').toEqual([]);
  });

  it('[GATE4] without gates its end stays a claim', () => {
    const t = newThread();
    t.thread.message('user', 'do it', null);
    t.thread.go(1);
    observe(t, { type: 'started' });
    t.say({ type: 'done' });
    expect(runReceipts(t)).toMatchObject([{ status: 'completed', verified: false }]);
    expect(gatesOf(t)).toEqual([]);
  });

  it('[GATE4] a gate that ran no command verifies nothing', () => {
    const t = working();
    t.say({ type: 'done' });
    end(t, true, { checks: [] });
    const [receipt] = runReceipts(t);
    expect(receipt).toMatchObject({ status: 'completed', verified: false });
    expect(receipt?.gate).toBeUndefined();
  });

  it('[GATE5] and fails is told so on its stdin, in the same run', () => {
    const t = working();
    t.say({ type: 'done' });
    const run = t.thread.state.run?.id;
    const { inputs } = end(t, false);
    expect(inputs).toMatchObject([{ id: 2, line: expect.stringContaining('one is red') }]);
    expect(types(t).slice(-3)).toEqual(['gate_begun', 'gate', 'message']);
    expect(t.thread.state.run?.id).toBe(run);
    t.say({ type: 'text', content: 'mended' }, { type: 'done' });
    expect(gatesOf(t)).toHaveLength(2);
    end(t, true);
    expect(runReceipts(t)).toMatchObject([{ run_id: run, status: 'completed', verified: true }]);
  });

  it('[GATE5] and is plain is told its task as well where it is started again', () => {
    const t = working(3);
    t.say({ type: 'status', state: 'running' });
    t.thread.message('user', 'and quickly', null);
    t.thread.written(2);
    t.say({ type: 'text', content: 'yes' }, { type: 'done' });
    expect(end(t, false).inputs[0]?.line, 'a process that lives knows it').not.toContain('do it');
    // It ends without a word to that.
    observe(t, { type: 'exit', code: 0 });
    for (const epoch of [2, 3]) {
      expect(t.thread.state.launch).toMatchObject({ epoch, active: true, inputs: 1 });
      const line = t.thread.pendingInputs(0)[0]?.line ?? '';
      expect(line).toMatch(/one is red.*# The task.*do it.*said to you since.*and quickly/s);
      t.thread.go(epoch);
      begin(t, 3);
      observe(t, { type: 'exit', code: 0 });
      end(t, false);
    }
  });

  it('[GATE5] and has ended is started again with what failed', () => {
    const t = working();
    observe(t, { type: 'exit', code: 0 });
    end(t, false);
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, active: true, inputs: 1 });
    expect(t.thread.pendingInputs(0)[0]?.line).toContain('one is red');
    t.thread.go(2);
    begin(t);
    observe(t, { type: 'exit', code: 0 });
    end(t, false);
    expect(t.thread.state.lifecycle).toMatchObject({
      status: 'error',
      reason: 'gate failed: test',
    });
    expect(runReceipts(t)).toMatchObject([
      { status: 'error', verified: true, gate: { passed: false } },
    ]);
    expect(starts(t)).toBe(2);
  });

  it('[GATE5] and ends before it reads what failed is started again with it', () => {
    const t = working();
    t.say({ type: 'done' });
    end(t, false);
    observe(t, { type: 'exit', code: 0 });
    expect(gatesOf(t)).toHaveLength(1);
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, active: true });
    expect(t.thread.pendingInputs(0)[0]?.line).toContain('one is red');
    expect(t.thread.state.lifecycle).toMatchObject({ reason: 'queued', open: true });
  });

  it('[GATE6] a message that it had not read is worked on first, and nothing is tested before', () => {
    const t = working();
    t.thread.message('user', 'one more', null);
    // What it says was on its way when the message came.
    t.say({ type: 'text', content: 'x' });
    observe(t, { type: 'exit', code: 0 });
    expect(gatesOf(t)).toEqual([]);
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, active: true });
    expect(t.thread.state.lifecycle).toMatchObject({ open: true, reason: 'queued' });
  });

  it('[GATE6] a message calls the gate off; what it finds is logged and changes nothing', () => {
    const t = working();
    t.say({ type: 'done' });
    t.thread.message('user', 'one more thing', null);
    end(t, false);
    expect(types(t).at(-1)).toBe('gate');
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'running', reason: null, open: true });
  });

  it('[GATE13] a pause holds what tests the work of a process that has ended, and a resume lets it go on', () => {
    const t = working();
    observe(t, { type: 'exit', code: 0 });
    const freezes = () => orders(t).flatMap((order) => (order.kind === 'freeze' ? [order] : []));
    t.thread.hold({ by: 'user', reason: null, until: null }, 'user');
    expect(freezes()).toMatchObject([{ epoch: 1, frozen: true }]);
    t.thread.hold(null, 'user');
    expect(freezes()).toMatchObject([{ epoch: 1, frozen: false }]);
    end(t, true);
    t.thread.hold({ by: 'user', reason: null, until: null }, 'user');
    expect(freezes(), 'nothing is left to hold').toMatchObject([{ epoch: 1, frozen: false }]);
  });

  it('[GATE6] a stop ends the run, and the runner is told although no process is left', () => {
    const t = working();
    observe(t, { type: 'exit', code: 0 });
    t.thread.signal('stop');
    expect(orders(t).at(-1)).toMatchObject({ kind: 'stop', epoch: 1, graceMs: 0 });
    expect(runReceipts(t)).toMatchObject([{ status: 'stopped' }]);
    end(t, false);
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'idle', reason: 'stopped' });
    expect(starts(t)).toBe(1);
  });

  it('[GATE6] a stop of a start that waits ends the gate of the process before', () => {
    const t = working();
    observe(t, { type: 'exit', code: 0 });
    t.thread.message('user', 'one more thing', null);
    t.thread.signal('stop');
    expect(orders(t).at(-1)).toMatchObject({ kind: 'stop', epoch: 1, graceMs: 0 });
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, active: false });
  });

  it('[GATE6] a deleted agent is tested no more', () => {
    const t = working();
    t.say({ type: 'done' });
    const job = lastGate(t);
    t.thread.erase();
    expect(orders(t)).toMatchObject([{ kind: 'remove' }]);
    const gone = { type: 'job_failed', job, work: 'gate', reason: 'r' } as const;
    expect(t.thread.jobDone(gone).stored).toEqual([]);
  });

  it('[GATE7] a gate that cannot be run leaves the agent to a person', () => {
    const t = working();
    t.say({ type: 'done' });
    t.thread.jobDone({ type: 'job_failed', job: lastGate(t), work: 'gate', reason: 'no home' });
    expect(t.thread.state.lifecycle).toMatchObject({
      status: 'error',
      reason: 'the gates could not be run: no home',
    });
    expect(runReceipts(t)).toMatchObject([{ status: 'error', verified: false }]);
  });
});
