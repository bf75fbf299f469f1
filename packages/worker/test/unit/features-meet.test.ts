import { newJobId, type ThreadId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import type { Env } from '../../src/env.ts';
import { readOutbox, removeOutbox } from '../../src/thread/outbox.ts';
import { statesOf } from '../../src/user/waiting-states.ts';
import { hash, newSession as newBringing } from './support/bringing-bench.ts';
import { newSession } from './support/sessions.ts';
import { newThread, observe, type TestThread } from './support/threads.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const after = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();

/** What the thread has to tell others, taken. */
function told(t: TestThread) {
  const rows = readOutbox(t.sql, 100);
  for (const { id } of rows) removeOutbox(t.sql, id);
  return rows.map(({ item }) => item);
}

function working(agentType = 'claude-code'): TestThread {
  const t = newThread(agentType);
  t.thread.message('user', 'do it', null);
  observe(t, { type: 'started' });
  t.say({ type: 'status', state: 'thinking' });
  told(t);
  return t;
}

function gated(): TestThread {
  const t = newThread('claude-code');
  t.thread.message('user', 'do it', null);
  const { epoch, observed } = t.thread.state.launch;
  t.thread.go(epoch);
  const commands = [{ name: 'test', command: 'npm test' }];
  t.thread.observed(observed + 1, { type: 'gates', epoch, from: 'node', commands, attempts: 1 });
  observe(t, { type: 'started' });
  return t;
}

describe('a gate', () => {
  it.each([
    ['a merge', (t: TestThread) => t.thread.notice(null, 'k', 'The work of x was merged')],
    [
      'a spawn that was refused',
      (t: TestThread) => {
        const body = { type: 'spawn_failed', spawn: 3, name: 'x', reason: 'too many' } as const;
        return t.thread.spawnFailed(body, 'k');
      },
    ],
  ])('[GATE6] is not called off by words of the system about %s', (_, say) => {
    const t = gated();
    t.say({ type: 'done', summary: 's' });
    say(t);
    expect(t.thread.state.lifecycle).toMatchObject({ reason: 'gate', open: true });
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.lifecycle.gate).not.toBeNull();
  });

  it('[GATE6] [LIM2] is held up by no limit that is told late: it needs no provider', () => {
    const t = gated();
    t.say({ type: 'done', summary: 's' });
    told(t);
    const call = { type: 'call', call: 'call_1', model: 'lab/m', provider: 'lab' } as const;
    const refused = { outcome: 'failed', status: 429, retryAfterSeconds: 3600 } as const;
    t.thread.gateway([{ key: 'c', body: { ...call, ...refused, startedAt: after(60) } as never }]);
    expect(told(t).map(({ kind }) => kind)).not.toContain('limit');
    expect(t.thread.state.lifecycle.reason).toBe('gate');
  });

  it('[GATE6] is not called off by a spawn that came with the claim and was not understood', () => {
    const t = gated();
    t.say({ type: 'spawn', name: 'x' }, { type: 'done', summary: 's' });
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.lifecycle).toMatchObject({ reason: 'gate', open: true });
    expect(t.thread.state.lifecycle.gate).not.toBeNull();
  });
});

describe('the end of a run at a limit', () => {
  const shown = (t: TestThread, paused: boolean) => {
    const { session, add } = newSession();
    const id = add();
    if (paused) session.pause(id, { by: 'user', reason: null, until: null });
    for (const item of told(t)) {
      if (item.kind === 'status') session.noteStatus(id, item.note);
      if (item.kind === 'limit') session.noteLimit(id, item.note);
    }
    return statesOf(session.node(id));
  };

  it('[ATT7] [LIM6] that is over waits for nobody', () => {
    const t = working();
    t.pass(600_000);
    t.say({ type: 'status', state: 'error', reason: 'limit', until: after(300) });
    expect(shown(t, false)).toEqual([]);
  });

  it('[ATT7] [LIM1] is no failure of an agent that a person has paused', () => {
    const t = working();
    t.say({ type: 'status', state: 'error', reason: 'limit', until: after(3600) });
    expect(shown(t, true)).toEqual([]);
  });

  it('[LIM2] is not told as its end, also if the limit is known after it', () => {
    const t = working();
    observe(t, { type: 'exit', code: 1 });
    const call = { type: 'call', call: 'call_1', model: 'lab/m', provider: 'lab' } as const;
    const refused = { outcome: 'failed', status: 429, retryAfterSeconds: 3600 } as const;
    const body = { ...call, ...refused, startedAt: after(0) };
    t.thread.gateway([{ key: 'c', body: body as never }]);
    expect(told(t).map(({ kind }) => kind)).not.toContain('result');
  });
});

describe('what was stopped', () => {
  it('[LIM3] is held by no limit that was told before', () => {
    const { session, add, clock } = newSession();
    const id = add();
    const note = { reason: null, contextPct: null, stopped: false, open: true } as const;
    session.noteStatus(id, { seq: 5, status: 'running', ...note });
    session.halt(id);
    session.halted(id, 20);
    session.noteStatus(id, { ...note, seq: 22, status: 'idle', stopped: true, open: false });
    const until = new Date(clock.now + 3_600_000).toISOString();
    session.noteLimit(id, { seq: 10, reason: 'limit', until });
    expect(session.nodes.find(id)?.pause).toBeNull();
  });

  it('[MERGE13] is started by no conflict that becomes its task, also if it is a root', async () => {
    const t = working();
    t.thread.signal('stop');
    observe(t, { type: 'exit', code: 0, reason: 'stopped' });
    const { session, bringing, add } = newBringing();
    const root: ThreadId = add('root');
    session.nodes.update(root, { phase: 'ready' });
    session.halt(root);
    session.halted(root, t.thread.state.seq);
    session.noteStatus(root, t.thread.status);
    bringing.noteMerge(root, {
      type: 'conflict',
      job: newJobId(),
      node: root,
      name: 'root',
      into: 'session',
      target: 'filepath/x',
      from: hash('1'),
      ours: hash('2'),
      truncated: false,
      hand: true,
      files: [{ path: 'text', hunks: [] }],
    });
    for (const notice of bringing.waiting()) await bringing.deliver(envOf(t), notice);
    expect(t.thread.state.launch.active).toBe(false);
    expect(session.node(root).conflict?.handed).toBe(false);
  });
});

/** An environment whose threads are all this one. */
function envOf({ thread }: TestThread): Env {
  const message = async (_: null, from: 'user' | 'parent', content: string, key: string) => {
    try {
      return { ok: true, value: { seq: thread.message(from, content, key).seq } };
    } catch (error) {
      return { ok: false, error };
    }
  };
  const notice = async () => ({ ok: true, value: { seq: 1 } });
  return { THREAD: { getByName: () => ({ message, notice }) } } as unknown as Env;
}

it('[HND8] a restart of a fresh process that has said nothing yet begins again', () => {
  const t = working();
  t.say({ type: 'handoff', summary: 'h' });
  observe(t, { type: 'exit', code: 0, reason: 'handoff' });
  observe(t, { type: 'started' });
  t.thread.restart();
  observe(t, { type: 'exit', code: 0, reason: 'handoff' });
  expect(t.thread.state.launch.active).toBe(true);
});

it('[TALK1] the end of a child is told to a parent that was ended for its silence', () => {
  const t = working();
  const { epoch } = t.thread.state.launch;
  const observed = () => t.thread.state.launch.observed + 1;
  for (const seconds of [600, 1200])
    t.thread.observed(observed(), { type: 'silent', epoch, seconds });
  const ended = { code: null, signal: 'SIGKILL', reason: 'limit', detail: 'stalled' } as const;
  t.thread.observed(observed(), { type: 'exit', epoch, ...ended });
  t.thread.result({ id: t.thread.meta.thread, name: 'kid' }, 'Your child kid has finished', 'r:1');
  expect(JSON.stringify(t.events().at(-1))).toContain('Your child kid has finished');
});

it('[MERGE25] what waits of a child that was deleted does not wait for ever', () => {
  const { session, bringing, add } = newBringing();
  const root: ThreadId = add('root');
  const child: ThreadId = add('child', root);
  bringing.noteMerge(child, {
    type: 'merged',
    job: newJobId(),
    node: child,
    name: 'child',
    into: 'parent',
    target: 'root',
    from: hash('1'),
    commit: hash('3'),
    before: hash('0'),
    how: 'merge',
    taken: false,
  });
  expect(session.node(root).waiting).toBeDefined();
  session.drop(child);
  bringing.forget();
  bringing.ended(root, 9);
  expect(session.node(root).waiting).toBeUndefined();
});
