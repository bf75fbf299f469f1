import { ChainReader, LIMITS, newCallId, Receipt } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { first } from '../../src/storage/sql.ts';
import { bodyText } from '../../src/thread/log-table.ts';
import { MAX_DRAFTS, readDrafts } from '../../src/thread/drafts.ts';
import { nodeHashing } from '../../src/thread/node-hashing.ts';
import { readOutbox } from '../../src/thread/outbox.ts';
import { newThread, observe, type TestThread } from './support/threads.ts';

const text = (content: string) => ({ type: 'text', content });

function started(): TestThread {
  const t = newThread();
  t.thread.message('user', 'do it', null);
  observe(t, { type: 'started' });
  return t;
}

const receipts = (t: TestThread) =>
  t.sql
    .all<{ body: string }>('SELECT body FROM receipts ORDER BY id')
    .map((row) => Receipt.parse(JSON.parse(row.body)));

const outbox = (t: TestThread) => readOutbox(t.sql, 100).map(({ item }) => item);

/** What is ordered when the session lets everything go. */
const orders = (t: TestThread) => {
  t.thread.go(t.thread.state.launch.epoch);
  return outbox(t).flatMap((item) => (item.kind === 'order' ? [item.order] : []));
};

describe('a thread', () => {
  it('[LOG1] numbers its events without gaps and chains their hashes', () => {
    const t = started();
    t.say(text('a'), text('b'), { type: 'done' });
    const chain = new ChainReader(nodeHashing.sha256);
    expect(t.events().map((event) => chain.next(event))).toEqual([null, null, null, null, null]);
    expect(chain.head).toBe(t.thread.state.hash);
  });

  it('[LOG2] keeps the words of the agent, also those it does not know', () => {
    const t = started();
    t.say('{"type":"text","content":"a","zebra":1,"__proto__":{"x":1}}');
    const { json = '' } =
      first<{ json: string }>(t.sql, 'SELECT json FROM log WHERE seq = 3') ?? {};
    const body = bodyText(json);
    expect(body).toBe('{"type":"text","content":"a","zebra":1,"__proto__":{"x":1}}');
  });

  it('[LOG12] stores a message, opens a run and wishes for a process in one step', () => {
    const t = newThread();
    const { seq } = t.thread.message('user', 'do it', null);
    expect(seq).toBe(1);
    expect(t.thread.state.run).not.toBeNull();
    expect(outbox(t)).toMatchObject([
      { kind: 'wish', note: { epoch: 1, wants: true } },
      { kind: 'status', note: { reason: 'queued', open: true } },
    ]);
  });

  it('[QUE1] orders the process when it may go, once, with all that came meanwhile', () => {
    const t = newThread();
    t.thread.message('user', 'do it', null);
    t.thread.message('user', 'and this', null);
    t.thread.go(2);
    expect(outbox(t).filter(({ kind }) => kind === 'order')).toEqual([]);
    t.thread.go(1);
    const before = t.thread.state;
    t.thread.go(1);
    t.reopen().thread.go(1);
    expect(t.thread.state).toBe(before);
    expect(outbox(t).filter(({ kind }) => kind === 'order')).toMatchObject([
      { order: { kind: 'start', epoch: 1, task: 'do it', inputs: [{ id: 1 }, { id: 2 }] } },
    ]);
  });

  it('[QUE2] a stop before that ends the wish and the run; the next message is another epoch', () => {
    const t = newThread();
    t.thread.message('user', 'do it', null);
    t.thread.signal('stop');
    expect(t.thread.state).toMatchObject({
      run: null,
      lifecycle: { status: 'idle', reason: 'stopped', open: false },
    });
    expect(outbox(t).filter(({ kind }) => kind === 'wish')).toEqual([
      { kind: 'wish', note: { epoch: 1, wants: false } },
    ]);
    t.thread.go(1);
    expect(orders(t)).toEqual([]);
    t.thread.message('user', 'again', null);
    expect(orders(t)).toMatchObject([{ kind: 'start', epoch: 2, task: 'again' }]);
  });

  it('[TREE13] tells the agent once that its spawn was refused, while its run is open', () => {
    const t = started();
    const body = { type: 'spawn_failed' as const, spawn: 3, name: 'kid', reason: 'too deep' };
    const { inputs } = t.thread.spawnFailed(body, 'k');
    const content = 'The agent "kid" that you asked for was not started: too deep.';
    expect(inputs.map(({ line }) => JSON.parse(line) as unknown)).toEqual([
      { type: 'message', from: 'system', content },
    ]);
    expect(t.thread.spawnFailed(body, 'k').inputs).toEqual([]);
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'running', open: true });
    t.say({ type: 'done' });
    expect(t.thread.spawnFailed({ ...body, spawn: 5 }, 'k2').inputs).toEqual([]);
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'done', open: false });
  });

  it('carries budget and network of a spawn, and refuses a line that has them wrong', () => {
    const t = started();
    const spawn = { type: 'spawn', name: 'kid', agent: 'pi', model: '' };
    const network = { policy: 'none' };
    t.say({ ...spawn, budget: { usd: 1 }, network }, { ...spawn, budget: { usd: 'all' } });
    const spawns = outbox(t).flatMap((item) => (item.kind === 'spawn' ? [item.note] : []));
    expect(spawns).toMatchObject([{ budget: { usd: 1, tokens: null }, network }]);
    const rejected = t.events().map(({ body }) => body);
    expect(rejected).toContainEqual(
      expect.objectContaining({ rejected: expect.objectContaining({ path: 'budget.usd' }) }),
    );
  });

  it('takes a message with a known key once', () => {
    const t = newThread();
    const a = t.thread.message('user', 'do it', 'k');
    const b = t.thread.message('user', 'do it', 'k');
    expect(b.seq).toBe(a.seq);
    expect(t.events()).toHaveLength(1);
  });

  it('[LINK5] skips what is stored already and asks to resume after a gap', () => {
    const t = started();
    t.thread.lines(0, [[10, '{"type":"text","content":"a"}']], new Map());
    t.thread.lines(
      0,
      [
        [10, '{"type":"text","content":"a"}'],
        [20, '{"type":"text","content":"b"}'],
      ],
      new Map(),
    );
    expect(t.events().filter((event) => event.source === 'fap')).toHaveLength(2);
    expect(t.thread.lines(30, [[40, 'x']], new Map())).toBe('resync');
    expect(t.thread.state.launch.offset).toBe(20);
  });

  it('[FAP6] turns a line that is no event into a bounded log event with the reason', () => {
    const t = started();
    t.say(
      'x'.repeat(100_000),
      '{"type":"nope"}',
      '{"type":"text"}',
      '{"type":"text","content":"on","seq":9}',
    );
    const bodies = t.events().slice(2);
    expect(bodies.map((event) => event.source)).toEqual(['runner', 'runner', 'runner', 'fap']);
    expect(bodies[0]?.body).toMatchObject({ rejected: { reason: 'not JSON', bytes: 100_000 } });
    expect(JSON.stringify(bodies[0]?.body).length).toBeLessThan(4096);
    expect(bodies[1]?.body).toMatchObject({ rejected: { reason: 'unknown event type "nope"' } });
    expect(bodies[2]?.body).toMatchObject({ rejected: { path: 'content' } });
    expect(bodies[3]?.seq).toBe(6);
  });

  it('[ST14] ends the run with done, and says that the agent claimed it', () => {
    const t = started();
    t.say(text('a'), { type: 'done' });
    expect(t.thread.state.lifecycle.status).toBe('done');
    expect(receipts(t)).toMatchObject([
      { type: 'receipt.run', status: 'completed', verified: false, ended_by: 4 },
    ]);
  });

  it('[FAP10] [LOG3] ends the run of an agent that only prints text with its exit, which is verified', () => {
    const t = started();
    t.say(text('a'));
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.lifecycle.status).toBe('done');
    expect(receipts(t)).toMatchObject([{ status: 'completed', verified: true }]);
  });

  it("[LOG8] the receipt of a program of one's own names no model that nobody used", () => {
    const call = { type: 'call', call: newCallId(), format: 'anthropic', provider: 'lab' } as const;
    const tokens = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    const ended = { outcome: 'completed', status: 200, tokens, costUsd: null } as const;
    const times = { estimated: false, startedAt: '2026-01-01T00:01:00.000Z', firstByteMs: 1 };
    const body = { ...call, model: 'lab/a', ...ended, ...times, durationMs: 2 } as const;
    const named = (agentType: string, work: (t: TestThread) => void): unknown => {
      const t = newThread(agentType, { model: 'lab/a' });
      t.thread.message('user', 'go', null);
      observe(t, { type: 'started' });
      work(t);
      t.say({ type: 'done' });
      return Reflect.get(Object(receipts(t)[0]), 'model_config_id');
    };
    expect(named('custom', () => undefined)).toBe('');
    expect(named('shelley', () => undefined)).toBe('lab/a');
    expect(named('custom', (t) => t.thread.gateway([{ key: 'a', body }]))).toBe('lab/a');
    const usage = { type: 'usage', model: 'own/b', input: 1, output: 1 };
    expect(named('custom', (t) => void t.say(usage))).toBe('own/b');
  });

  it('leaves a receipt for each tool call with a step that joins its events', () => {
    const t = started();
    t.say(
      { type: 'tool', name: 'edit', path: 'a.ts', status: 'start' },
      { type: 'tool', name: 'edit', path: 'a.ts', status: 'done', output: 'ok' },
      { type: 'command', cmd: 'ls', status: 'error', exit: 2 },
    );
    const [start, done, command] = t.events().slice(2);
    expect(start?.step).toBe(done?.step);
    expect(command?.step).not.toBe(done?.step);
    expect(receipts(t)).toMatchObject([
      { type: 'receipt.tool', tool_name: 'edit', status: 'completed' },
      { type: 'receipt.tool', tool_name: 'ls', status: 'error' },
    ]);
  });

  it('keeps text that is being written as a draft until the finished text is logged', () => {
    const t = started();
    const { deltas } = t.say(
      { type: 'text', id: 'm1', partial: true, content: 'he' },
      { type: 'text', id: 'm1', partial: true, content: 'llo' },
    );
    expect(deltas).toEqual([{ id: 'm1', delta: 'hello' }]);
    expect(readDrafts(t.sql)).toEqual([{ id: 'm1', content: 'hello' }]);
    t.say({ type: 'text', id: 'm1', content: 'hello world' });
    expect(readDrafts(t.sql)).toEqual([]);
    expect(t.events().at(-1)?.body).toEqual({ type: 'text', id: 'm1', content: 'hello world' });
  });

  it('[LOG10] keeps few drafts at once, each bounded, and logs what it gives up', () => {
    const t = started();
    const partial = (n: number) => ({
      type: 'text',
      id: `m${n}`,
      partial: true,
      content: `${n}\0x`,
    });
    const { deltas } = t.say(...Array.from({ length: MAX_DRAFTS + 2 }, (_, n) => partial(n)));
    expect(deltas).toHaveLength(MAX_DRAFTS);
    expect(readDrafts(t.sql).map((draft) => draft.id)).toEqual(deltas.map((delta) => delta.id));
    const given = t.events().slice(2);
    expect(given.map((event) => event.body)).toEqual([
      { type: 'text', id: 'm0', content: '0\0x', truncated: true },
      { type: 'text', id: 'm1', content: '1\0x', truncated: true },
    ]);
    const large = 'ä'.repeat(200_000);
    for (let i = 0; i < 10; i += 1) t.say({ ...partial(5), content: large });
    const size = readDrafts(t.sql).reduce((sum, draft) => sum + draft.content.length, 0);
    expect(size).toBeLessThan(LIMITS.draft);
  });

  it('leaves the draft of an agent that dies as truncated text', () => {
    const t = started();
    t.say({ type: 'text', id: 'm1', partial: true, content: 'hal' });
    observe(t, { type: 'exit', code: 1 });
    expect(
      t
        .events()
        .slice(-2)
        .map((event) => event.body),
    ).toMatchObject([
      { type: 'text', id: 'm1', content: 'hal', truncated: true },
      { type: 'exit', code: 1 },
    ]);
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'error', reason: 'exit 1' });
  });

  it('gives a message to the running process, once, in order', () => {
    const t = started();
    const { inputs } = t.thread.message('user', 'more', null);
    expect(inputs).toEqual([
      { id: 2, line: '{"type":"message","from":"user","content":"more"}\n' },
    ]);
    t.thread.written(1);
    expect(t.thread.pendingInputs(1).map((input) => input.id)).toEqual([2]);
  });

  it('starts the agent again with a message that its process ended without taking up', () => {
    const t = started();
    t.say(text('a'), { type: 'done' });
    t.thread.message('user', 'second', null);
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, active: true, offset: 0, inputs: 1 });
    expect(t.thread.state.lifecycle).toMatchObject({
      status: 'idle',
      reason: 'queued',
      open: true,
    });
    expect(orders(t).at(-1)).toMatchObject({ kind: 'start', epoch: 2, task: 'second' });
  });

  it('starts the agent again when a line of earlier work came after the message, but not after its writing', () => {
    const t = started();
    t.thread.written(1);
    t.say(text('a'));
    t.thread.message('user', 'second', null);
    t.say({ type: 'done' });
    observe(t, { type: 'exit', code: 0 });
    expect(orders(t).at(-1)).toMatchObject({ kind: 'start', epoch: 2, task: 'second' });
    expect(t.thread.state.lifecycle).toMatchObject({ reason: 'queued', open: true });
  });

  it('does not start an agent again that said something after it got the message', () => {
    const t = started();
    t.thread.written(1);
    t.thread.message('user', 'second', null);
    t.thread.written(2);
    t.say({ type: 'done' });
    observe(t, { type: 'exit', code: 0 });
    expect(t.thread.state.launch).toMatchObject({ epoch: 1, active: false });
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'done', open: false });
  });

  it('stops: the signal is an input, and the order carries what the process has not got', () => {
    const t = started();
    t.thread.written(1);
    t.thread.message('user', 'more', null);
    t.thread.signal('stop');
    expect(orders(t).at(-1)).toMatchObject({
      kind: 'stop',
      epoch: 1,
      inputs: [{ id: 2 }, { id: 3, line: '{"type":"signal","action":"stop"}\n' }],
    });
    expect(() => t.thread.message('parent', 'wait', null)).toThrow(/is stopping/);
    observe(t, { type: 'exit', code: 143, reason: 'stopped' });
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'idle', reason: 'stopped' });
    expect(receipts(t)).toMatchObject([{ status: 'superseded' }, { status: 'stopped' }]);
    t.thread.message('user', 'again', null);
    expect(t.thread.state.launch).toMatchObject({ epoch: 2, active: true });
  });

  it('asks the session for a child once per spawn event, and not while stopped', () => {
    const t = started();
    const spawn = { type: 'spawn', name: 'c', agent: 'custom', model: 'm', task: 'x' };
    t.say(spawn);
    t.thread.signal('stop');
    t.say(spawn);
    const spawns = readOutbox(t.sql, 100).filter(({ item }) => item.kind === 'spawn');
    expect(spawns.map(({ key }) => key)).toEqual(['spawn:3']);
    expect(t.events().at(-1)?.body).toMatchObject({ type: 'spawn_failed', spawn: 5 });
  });

  it('goes on where it was after the object lost its memory', () => {
    const t = started();
    t.say(text('a'));
    const again = t.reopen();
    again.say({ type: 'done' });
    const chain = new ChainReader(nodeHashing.sha256);
    expect(again.events().every((event) => chain.next(event) === null)).toBe(true);
    expect(again.events().at(-1)?.run).toBe(t.events()[0]?.run);
    expect(again.thread.state.run).toBeNull();
  });

  it('[LOG7] changes nothing when a transaction fails', () => {
    const t = started();
    const before = t.thread.state;
    const circular: Record<string, unknown> = { type: 'spawned' };
    circular['self'] = circular;
    expect(() => t.thread.system(circular as never, 'k')).toThrow();
    expect(t.thread.state).toBe(before);
    expect(t.say(text('a')).seq).toBe(before.seq + 1);
  });
});

describe('[ATT7] a failure', () => {
  const note = (t: TestThread) =>
    outbox(t)
      .flatMap((item) => (item.kind === 'status' ? [item.note] : []))
      .at(-1);

  function working(): TestThread {
    const t = newThread();
    t.thread.message('user', 'do it', null);
    t.thread.go(1);
    observe(t, { type: 'started' });
    return t;
  }

  it('is known by its event, also when nobody heard of what was between two', () => {
    const t = working();
    t.say({ type: 'status', state: 'error', reason: 'no' });
    const first = t.thread.state.seq;
    expect(note(t)).toMatchObject({ status: 'error', failed: { seq: first, reason: 'no' } });
    t.say({ type: 'status', state: 'error', reason: 'no', context_pct: 0.5 });
    expect(note(t)).toMatchObject({ contextPct: 0.5, failed: { seq: first } });
    t.thread.message('user', 'again', null);
    expect(note(t)?.failed).toBeUndefined();
    t.say({ type: 'status', state: 'error', reason: 'no', context_pct: 0.5 });
    expect(note(t)).toMatchObject({ failed: { seq: t.thread.state.seq, reason: 'no' } });
  });

  it('keeps its reason while the agent is paused', () => {
    const t = working();
    t.thread.hold({ by: 'user', reason: null, until: null }, 'user');
    t.say({ type: 'status', state: 'error', reason: 'no' });
    expect(note(t)).toMatchObject({ reason: 'paused', failed: { reason: 'no' } });
  });
});

describe('[TREE13] a spawn that cannot be understood', () => {
  const bad = { type: 'spawn', name: 'neg', agent: 'custom', model: '', budget: { usd: -1 } };

  it('is told to the agent, and is in the log as failed', () => {
    const t = started();
    const { inputs } = t.say({ type: 'status', state: 'running' }, bad, { type: 'nonsense' });
    expect(inputs.map(({ line }) => JSON.parse(line) as unknown)).toEqual([
      {
        type: 'message',
        from: 'system',
        content: expect.stringMatching(/^The agent "neg" .* was not started: .* at budget\.usd\.$/),
      },
    ]);
    const bodies = t.events().map(({ body }) => body as Record<string, unknown>);
    const rejected = t.events().find(({ body }) => Reflect.get(Object(body), 'type') === 'log');
    expect(bodies).toContainEqual({
      type: 'spawn_failed',
      spawn: rejected?.seq,
      name: 'neg',
      reason: expect.stringContaining('budget.usd'),
    });
  });

  it('is not told to an agent that is stopped', () => {
    const t = started();
    t.thread.signal('stop');
    expect(t.say(bad).inputs).toEqual([]);
  });
});
