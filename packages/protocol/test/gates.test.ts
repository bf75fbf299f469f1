import { describe, expect, it } from 'vitest';
import {
  AgentConfig,
  advance,
  asksForWork,
  gateMessage,
  type GateResult,
  INITIAL,
  type Lifecycle,
  lifecycleOf,
  newJobId,
  owes,
  RepositoryFile,
  toBlocks,
} from '../src/index.ts';
import { exit, fap, log, runner, type Said, signal, started, system, user } from './events.ts';

const job = newJobId();
const commit = '5f2c8d1b'.repeat(5);
const check = { name: 'test', command: 'npm test', exit: 0, seconds: 1, tail: '' };
const passedCheck = { ...check, outcome: 'passed' as const };
const failedCheck = { ...check, outcome: 'failed' as const, exit: 2, tail: 'one is red\n' };

const gates = (attempts = 1): Said =>
  runner({
    type: 'gates',
    epoch: 1,
    from: 'node',
    commands: [{ name: 'test', command: 'npm test' }],
    attempts,
  });
const done = fap({ type: 'done' });
const status = (state: string): Said => fap({ type: 'status', state });
const begun = (of = job): Said => system({ type: 'gate_begun', job: of, attempt: 1 });
const resultOf = (passed: boolean, of = job): GateResult => ({
  type: 'gate',
  job: of,
  passed,
  commit,
  clean: true,
  checks: [passed ? passedCheck : failedCheck],
});
const result = (passed: boolean, of = job): Said => system(resultOf(passed, of));
const notRun: Said = system({ type: 'job_failed', job, work: 'gate', reason: 'no home' });

/** A run whose agent has called its work done, and whose gate is ordered. */
const tested = [user('a'), gates(), started, done, begun()];

const after = (...said: Said[]): Lifecycle => lifecycleOf(said);
const closing = (before: Said[], event: Said) => advance(lifecycleOf(before), event).closes;

describe('an agent with gates', () => {
  it.each([
    ['done', [gates(), started, done]],
    ['status done', [gates(), started, status('done')]],
    ['exit 0', [gates(), started, exit()]],
    ['done and an exit', [gates(), started, done, exit({ code: 1 })]],
  ])('[GATE2] [ST51] is not done by %s: its run goes on', (_, said) => {
    const now = after(user('a'), ...said);
    expect(now).toMatchObject({ status: 'running', reason: 'gate', open: true });
    expect(now.gate).toEqual({ job: null, attempts: 1 });
  });

  it('[GATE2] is not done by any claim outside of a run', () => {
    const idle = [user('a'), gates(), started, status('idle')];
    expect(after(...idle)).toMatchObject({ status: 'idle', open: false });
    for (const claim of [[done], [status('done')], [status('running'), exit()]]) {
      expect(after(...idle, ...claim)).toMatchObject({ status: 'idle', reason: 'not tested' });
    }
  });

  it('[GATE2] has gates until its process ends, and the next process has its own', () => {
    expect(after(user('a'), gates(), started, exit({ code: 1 })).gates).toBeNull();
    const next = after(user('a'), gates(), started, exit({ code: 1 }), user('b'), started, done);
    expect(next.status).toBe('done');
    const refused = runner({ type: 'refused', epoch: 1, reason: 'no' });
    expect(after(user('a'), gates(), refused).gates).toBeNull();
  });

  it('[GATE2] owes no word while its work is tested, and what it says of its state changes nothing', () => {
    const now = after(...tested, status('thinking'), fap({ type: 'text', content: 'x' }));
    expect(now).toMatchObject({ status: 'running', reason: 'gate' });
    expect(owes(now)).toBe(false);
    expect(after(...tested, status('error'))).toMatchObject({ status: 'error', open: false });
  });

  it('[GATE4] [ST52] is done when they pass', () => {
    expect(closing(tested, result(true))).toBe('completed');
    expect(after(...tested, result(true))).toMatchObject({ status: 'done', reason: null });
    expect(after(...tested, exit(), result(true))).toMatchObject({ status: 'done', open: false });
  });

  it('[GATE5] [ST53] goes on when they fail, as often as it may, and then waits for a person', () => {
    const back = [...tested, result(false)];
    expect(after(...back)).toMatchObject({ status: 'running', reason: null, open: true });
    expect(after(...tested, exit(), result(false))).toMatchObject({
      status: 'idle',
      reason: 'queued',
      open: true,
    });
    const again = newJobId();
    const twice = [...back, done, begun(again)];
    expect(closing(twice, result(false, again))).toBe('error');
    expect(after(...twice, result(false, again))).toMatchObject({
      status: 'error',
      reason: 'gate failed: test',
      open: false,
    });
    expect(after(...twice, result(false, again), user('b')).failures).toBe(0);
  });

  it('[GATE5] that ends before it took the failure up is to be started again', () => {
    const now = after(...tested, result(false), exit());
    expect(now).toMatchObject({ status: 'idle', reason: 'queued', open: true });
  });

  it('[GATE6] is given to what comes first: a message, a stop or another gate', () => {
    for (const said of [user('b'), system({ type: 'message', from: 'system', content: 'c' })]) {
      expect(after(...tested, said, result(true)).open).toBe(true);
      expect(after(...tested, exit(), said)).toMatchObject({ status: 'idle', reason: 'queued' });
    }
    const stopped = [...tested, signal('stop')];
    expect(after(...stopped, result(true))).toMatchObject({ reason: 'stopping', open: true });
    expect(after(...stopped, exit(), result(true))).toMatchObject({ reason: 'stopped' });
    expect(after(...tested, exit(), signal('stop'), result(true))).toMatchObject({
      status: 'idle',
      reason: 'stopped',
    });
    expect(after(...tested, result(true, newJobId())).reason).toBe('gate');
  });

  it('[GATE6] that says done while it is stopped is not tested', () => {
    const now = after(user('a'), gates(), started, signal('stop'), done);
    expect(now).toMatchObject({ reason: 'stopping', open: true, gate: null });
  });

  it('[GATE7] fails where they cannot be run', () => {
    expect(after(...tested, notRun)).toMatchObject({
      status: 'error',
      reason: 'the gates could not be run: no home',
    });
  });

  it('[GATE2] whose state was stored before there were gates has none', () => {
    const { gates: _gates, gate: _gate, failures: _failures, ...old } = INITIAL;
    const opened = advance(old as Lifecycle, user('a')).next;
    expect(advance(opened, done).next).toMatchObject({ status: 'done', open: false });
  });
});

describe('what is said of gates', () => {
  it('[GATE5] the agent is told what failed, with what it printed set off', () => {
    const told = gateMessage(resultOf(false), 1);
    expect(told).toContain('- test: exit 2 (1.0 s): npm test\n  > one is red');
    expect(told).toContain('once more');
    expect(asksForWork(told)).toBe(true);
    expect(gateMessage({ ...resultOf(false), clean: false, note: 'it moved' }, 0)).toMatch(
      /uncommitted changes[^]*it moved[^]*a person/,
    );
  });

  it('[GATE8] what began and how it ended is one block, verified when the runner has spoken', () => {
    const blocks = (...said: Said[]) =>
      toBlocks(log(...said)).filter(({ kind }) => kind === 'gate');
    expect(blocks(begun())).toMatchObject([{ id: 'e1', state: 'checking', verified: false }]);
    expect(blocks(begun(), done, result(false))).toMatchObject([
      { id: 'e1', state: 'failed', verified: true, commit, checks: [{ name: 'test', exit: 2 }] },
    ]);
    expect(blocks(begun(), notRun)).toMatchObject([{ state: 'over', note: 'no home' }]);
    expect(blocks(result(true))).toMatchObject([{ state: 'passed' }]);
    expect(toBlocks(log(gates()))).toMatchObject([
      { kind: 'notice', text: expect.stringContaining('must pass before it is done') },
    ]);
  });

  it('[GATE1] a declaration is strict and bounded', () => {
    const commands = [{ name: 'test', run: 'npm test' }, { run: ['make', 'check'] }];
    expect(AgentConfig.safeParse({ gates: { commands, attempts: 0 } }).success).toBe(true);
    expect(RepositoryFile.safeParse({ gates: { commands } }).success).toBe(true);
    for (const gates of [
      { commands: [] },
      { commands: Array.from({ length: 9 }, () => ({ run: 'x' })) },
      { commands: [{ run: '' }] },
      { commands: [{ run: 'x', timeoutSeconds: 3601 }] },
      { commands: [{ run: 'x', shell: true }] },
      { commands, attempts: 21 },
    ]) {
      expect(AgentConfig.safeParse({ gates }).success, JSON.stringify(gates)).toBe(false);
    }
  });
});
