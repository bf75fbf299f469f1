import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance, INITIAL, type Lifecycle, lifecycleOf, type RunOutcome } from '../src/index.ts';
import { agentEvent, json, source } from './arbitraries.ts';
import { exit, fap, runner, type Said, signal, started, user } from './events.ts';

const status = (state: string, more: Record<string, unknown> = {}): Said =>
  fap({ type: 'status', state, ...more });
const text = fap({ type: 'text', content: 'x' });
const done = fap({ type: 'done' });
const system: Said = {
  source: 'system',
  body: { type: 'message', from: 'system', content: 'the state of the workspace' },
};
const handoff = fap({ type: 'handoff', summary: 's' });
const relayed: Said = {
  source: 'system',
  body: {
    type: 'handoff',
    why: 'handoff',
    handoff: 3,
    from: 1,
    to: 2,
    task: 1,
    content: 'go on',
  },
};
const limit = (ended: boolean): Said => ({
  source: 'system',
  body: { type: 'limit', reason: 'lab limit', until: '2026-01-01T00:00:00.000Z', ended },
});
const refused = runner({ type: 'refused', epoch: 1, reason: 'no sandbox' });

type Row = {
  rule: string;
  before: Said[];
  event: Said;
  status: Lifecycle['status'];
  reason?: string;
  /** What happens to runs: the outcome that ends the open one, and whether one opens. */
  closes?: RunOutcome;
  opens?: true;
  open?: true;
};

/** The rows of SPEC.md. `open` says that a run is open afterwards. */
const ROWS: Row[] = [
  row('ST2', 'queues', [], user('a'), {
    status: 'idle',
    reason: 'queued',
    opens: true,
    open: true,
  }),
  row('ST2', 'queues again', [user('a'), started, done, exit()], user('b'), {
    status: 'idle',
    reason: 'queued',
    opens: true,
    open: true,
  }),
  row('ST2', 'joins a run that waits for its process', [user('a')], user('b'), {
    status: 'idle',
    reason: 'queued',
    open: true,
  }),
  row('ST3', 'steers', [user('a'), started, status('thinking')], user('b'), {
    status: 'thinking',
    open: true,
  }),
  row('ST4', 'supersedes a silent run', [user('a'), started, text], user('b'), {
    status: 'running',
    closes: 'superseded',
    opens: true,
    open: true,
  }),
  row('ST5', 'opens the next run', [user('a'), started, done], user('b'), {
    status: 'running',
    opens: true,
    open: true,
  }),
  row('HLT9', 'joins the run that waits', [user('a')], system, {
    status: 'idle',
    reason: 'queued',
    open: true,
  }),
  row('HLT9', 'joins a silent run', [user('a'), started, text], system, {
    status: 'running',
    open: true,
  }),
  row('HLT9', 'leaves a stop standing', [user('a'), started, signal('stop')], system, {
    status: 'running',
    reason: 'stopping',
    open: true,
  }),
  row('HLT9', 'opens a run where none is', [user('a'), started, done, exit()], system, {
    status: 'idle',
    reason: 'queued',
    opens: true,
    open: true,
  }),
  row('ST6', 'stops before the start', [user('a')], signal('stop'), {
    status: 'idle',
    reason: 'stopped',
    closes: 'stopped',
  }),
  row('ST6', 'stops nothing', [], signal('stop'), { status: 'idle' }),
  row('ST6', 'stops what is done', [user('a'), started, done, exit()], signal('stop'), {
    status: 'done',
  }),
  row('ST7', 'is stopping', [user('a'), started], signal('stop'), {
    status: 'running',
    reason: 'stopping',
    open: true,
  }),
  row('ST8', 'handoff', [user('a'), started], signal('handoff'), { status: 'running', open: true }),
  row('ST31', 'pauses', [user('a'), started], signal('pause'), {
    status: 'running',
    reason: 'paused',
    open: true,
  }),
  row('ST31', 'pauses before the start', [user('a')], signal('pause'), {
    status: 'idle',
    reason: 'paused',
    open: true,
  }),
  row(
    'ST31',
    'says why',
    [user('a'), started],
    { source: 'system', body: { type: 'signal', action: 'pause', reason: 'limit' } },
    { status: 'running', reason: 'paused: limit', open: true },
  ),
  row('ST31', 'covers other reasons', [user('a'), started, signal('pause')], status('thinking'), {
    status: 'thinking',
    reason: 'paused',
    open: true,
  }),
  row('ST31', 'covers a message', [signal('pause')], user('a'), {
    status: 'idle',
    reason: 'paused',
    opens: true,
    open: true,
  }),
  row('ST31', 'covers the end', [user('a'), started, signal('pause')], exit(), {
    status: 'done',
    reason: 'paused',
    closes: 'completed',
  }),
  row('ST32', 'resumes', [user('a'), started, signal('pause')], signal('resume'), {
    status: 'running',
    open: true,
  }),
  row('ST32', 'resumes to what holds', [user('a'), signal('pause')], signal('resume'), {
    status: 'idle',
    reason: 'queued',
    open: true,
  }),
  row('ST32', 'resumes what was not paused', [user('a'), started], signal('resume'), {
    status: 'running',
    open: true,
  }),
  row('ST33', 'a stop ends a pause', [user('a'), started, signal('pause')], signal('stop'), {
    status: 'running',
    reason: 'stopping',
    open: true,
  }),
  row('ST33', 'also in line', [user('a'), signal('pause')], signal('stop'), {
    status: 'idle',
    reason: 'stopped',
    closes: 'stopped',
  }),
  row('ST9', 'starts', [user('a')], started, { status: 'running', open: true }),
  row('ST9', 'starts although stopped', [user('a'), signal('stop')], started, {
    status: 'running',
    reason: 'stopping',
  }),
  row('ST10', 'is refused', [user('a')], refused, {
    status: 'error',
    reason: 'no sandbox',
    closes: 'error',
  }),
  row('ST10', 'is refused after a stop', [user('a'), signal('stop')], refused, {
    status: 'idle',
    reason: 'stopped',
  }),
  row('ST11', 'thinks', [user('a'), started], status('thinking', { reason: 'plan' }), {
    status: 'thinking',
    reason: 'plan',
    open: true,
  }),
  row('ST11', 'runs', [user('a'), started], status('running'), { status: 'running', open: true }),
  row('ST12', 'waits', [user('a'), started], status('idle', { reason: 'waiting' }), {
    status: 'idle',
    reason: 'waiting',
    closes: 'completed',
  }),
  row('ST12', 'says done', [user('a'), started], status('done'), {
    status: 'done',
    closes: 'completed',
  }),
  row('ST13', 'fails', [user('a'), started], status('error', { reason: 'no key' }), {
    status: 'error',
    reason: 'no key',
    closes: 'error',
  }),
  row('ST14', 'is done', [user('a'), started], done, { status: 'done', closes: 'completed' }),
  row('ST15', 'hands off', [user('a'), started], handoff, {
    status: 'idle',
    reason: 'handoff',
    closes: 'handoff',
  }),
  row('ST40', 'is told more while it hands off', [user('a'), started, handoff], user('b'), {
    status: 'idle',
    reason: 'queued',
    opens: true,
    open: true,
  }),
  row('ST40', 'is told even more', [user('a'), started, handoff, user('b')], user('c'), {
    status: 'idle',
    reason: 'queued',
    open: true,
  }),
  ...[
    exit({ reason: 'handoff' }),
    exit({ code: 3 }),
    exit({ code: null, reason: 'lost' }),
    exit({ reason: 'stopped' }),
    refused,
  ].map((end) =>
    row('ST41', `has handed off: ${JSON.stringify(end.body)}`, [user('a'), started, handoff], end, {
      status: 'idle',
      reason: 'queued',
    }),
  ),
  row('ST41', 'keeps the run of a message', [user('a'), started, handoff, user('b')], exit(), {
    status: 'idle',
    reason: 'queued',
    open: true,
  }),
  row('ST42', 'goes on', [user('a'), started, handoff, exit()], relayed, {
    status: 'idle',
    reason: 'queued',
    opens: true,
    open: true,
  }),
  row(
    'ST42',
    'goes on, with a message',
    [user('a'), started, handoff, exit(), user('b')],
    relayed,
    {
      status: 'idle',
      reason: 'queued',
      open: true,
    },
  ),
  row('ST43', 'is to hand off at rest', [user('a'), started, done, exit()], signal('handoff'), {
    status: 'idle',
    reason: 'queued',
  }),
  row(
    'ST54',
    'was asked to hand off and did not',
    [user('a'), started, status('running'), signal('handoff')],
    { source: 'system', body: { type: 'signal', action: 'handoff', reason: 'not in time' } },
    { status: 'idle', reason: 'handoff', closes: 'handoff' },
  ),
  row('ST44', 'is to start again', [user('a'), started], signal('restart'), {
    status: 'idle',
    reason: 'restarting',
    closes: 'stopped',
  }),
  row('ST44', 'is to start again at rest', [user('a'), started, done, exit()], signal('restart'), {
    status: 'idle',
    reason: 'queued',
  }),
  row('ST41', 'starts again', [user('a'), started, signal('restart')], exit(), {
    status: 'idle',
    reason: 'queued',
  }),
  row(
    'ST45',
    'hands off too often',
    [user('a'), started, handoff, exit()],
    { source: 'system', body: { type: 'handoff_limit', handoffs: 10, reason: 'ten times' } },
    { status: 'error', reason: 'ten times' },
  ),
  row(
    'ST47',
    'met a limit',
    [user('a'), started, status('error', { reason: 'rate limited' })],
    limit(true),
    { status: 'error', reason: 'rate limited' },
  ),
  row(
    'ST41',
    'ends at a limit',
    [user('a'), started, status('error'), limit(true)],
    exit({ reason: 'handoff' }),
    { status: 'idle', reason: 'queued' },
  ),
  row('ST47', 'waits for a limit', [user('a'), started], limit(false), {
    status: 'running',
    open: true,
  }),
  row('ST46', 'reports after its handoff', [user('a'), started, handoff], status('running'), {
    status: 'idle',
    reason: 'handoff',
  }),
  row(
    'ST46',
    'is stopped after its handoff',
    [user('a'), started, handoff, signal('stop')],
    exit(),
    {
      status: 'idle',
      reason: 'stopped',
    },
  ),
  row(
    'ST6',
    'is stopped before it goes on',
    [user('a'), started, handoff, exit()],
    signal('stop'),
    {
      status: 'idle',
      reason: 'stopped',
    },
  ),
  row('ST16', 'exits after a stop', [user('a'), started, signal('stop')], exit({ code: 143 }), {
    status: 'idle',
    reason: 'stopped',
    closes: 'stopped',
  }),
  row('ST16', 'is stopped by the runner', [user('a'), started], exit({ reason: 'stopped' }), {
    status: 'idle',
    reason: 'stopped',
    closes: 'stopped',
  }),
  row('ST16', 'is done and then stopped', [user('a'), started, done, signal('stop')], exit(), {
    status: 'done',
  }),
  row('ST17', 'is lost', [user('a'), started], exit({ code: null, reason: 'lost' }), {
    status: 'error',
    reason: 'lost',
    closes: 'lost',
  }),
  row(
    'ST18',
    'hits a limit',
    [user('a'), started],
    exit({ reason: 'limit', detail: 'spool full' }),
    {
      status: 'error',
      reason: 'spool full',
      closes: 'error',
    },
  ),
  row('ST19', 'exits well', [user('a'), started, text], exit(), {
    status: 'done',
    closes: 'completed',
  }),
  row('ST20', 'exits badly', [user('a'), started], exit({ code: 3 }), {
    status: 'error',
    reason: 'exit 3',
    closes: 'error',
  }),
  row(
    'ST20',
    'says why it exits badly',
    [user('a'), started],
    exit({ code: 3, stderr: 'starting\n\t[31] \u001b[31mno such model\u001b[0m: \u202em-1\r\n\n' }),
    { status: 'error', reason: 'exit 3: [31] no such model: m-1', closes: 'error' },
  ),
  row(
    'ST20',
    'ends by an error of Node',
    [user('a'), started],
    exit({
      code: 1,
      stderr: 'a.js:1\nError: boom\n    at a.js:1:7\n    at main {\n}\n\nNode.js v24.21.0\n',
    }),
    { status: 'error', reason: 'exit 1: Error: boom', closes: 'error' },
  ),
  row(
    'ST20',
    'says more than a row has room for',
    [user('a'), started],
    exit({ code: 1, stderr: 'x'.repeat(9_000) }),
    {
      status: 'error',
      reason: `exit 1: ${'x'.repeat(160)}…`,
      closes: 'error',
    },
  ),
  row('ST20', 'is killed', [user('a'), started], exit({ code: null, signal: 'SIGKILL' }), {
    status: 'error',
    reason: 'SIGKILL',
    closes: 'error',
  }),
  row('ST21', 'crashes after it was done', [user('a'), started, done], exit({ code: 3 }), {
    status: 'done',
  }),
  row(
    'ST21',
    'goes on after done and exits',
    [user('a'), started, done, status('running')],
    exit(),
    {
      status: 'done',
    },
  ),
  row(
    'ST21',
    'goes on after done and crashes',
    [user('a'), started, done, status('thinking')],
    exit({ code: 3 }),
    { status: 'error', reason: 'exit 3' },
  ),
  row('ST27', 'exits before it took a message up', [user('a'), started, done, user('b')], exit(), {
    status: 'idle',
    reason: 'queued',
    open: true,
  }),
  row(
    'ST27',
    'exits after it took a message up',
    [user('a'), started, done, user('b'), text],
    exit(),
    { status: 'done', closes: 'completed' },
  ),
  row('ST22', 'says text', [user('a'), started], text, { status: 'running', open: true }),
  row('ST22', 'says nothing known', [user('a'), started], fap({ type: 'x' }), {
    status: 'running',
    open: true,
  }),
  row('ST22', 'forges an exit', [user('a'), started], fap(exit().body), {
    status: 'running',
    open: true,
  }),
  row('ST22', 'forges a signal', [user('a'), started], fap(signal('stop').body), {
    status: 'running',
    open: true,
  }),
  row(
    'ST24',
    'reports while stopping',
    [user('a'), started, signal('stop')],
    status('thinking', { reason: 'r' }),
    {
      status: 'thinking',
      reason: 'stopping',
      open: true,
    },
  ),
];

describe('the table log → status', () => {
  it('[ST1] a new thread is idle and has no run', () => {
    expect(lifecycleOf([])).toEqual(INITIAL);
    expect(INITIAL).toMatchObject({ status: 'idle', reason: null, open: false });
  });

  it.each(ROWS)('$rule', (row) => {
    const change = advance(lifecycleOf(row.before), row.event);
    expect({
      status: change.next.status,
      reason: change.next.reason,
      open: change.next.open,
      opens: change.opens,
      closes: change.supersedes ? 'superseded' : change.closes,
    }).toEqual({
      status: row.status,
      reason: row.reason ?? null,
      open: row.open ?? false,
      opens: row.opens ?? false,
      closes: row.closes ?? null,
    });
  });

  it('[ST23] the ten-line agent goes queued, running, done', () => {
    const said = [user('a'), started, text, text, exit()];
    const states = said.map((_, index) => lifecycleOf(said.slice(0, index + 1)));
    expect(states.map(({ status: now }) => now)).toEqual([
      'idle',
      'running',
      'running',
      'running',
      'done',
    ]);
    expect(states[0]?.reason).toBe('queued');
    expect(states.at(-1)).toMatchObject({ open: false, alive: false, reason: null });
  });

  it('[ST25] the last reported context is kept', () => {
    const said = [user('a'), started, status('thinking', { context_pct: 0.4 }), status('running')];
    expect(lifecycleOf(said).contextPct).toBe(0.4);
  });

  it('[ST26] any log gives a status, and a run that opens ends at most once', () => {
    const said = fc.oneof(
      fc.record({ source: fc.constant('fap' as const), body: agentEvent }),
      fc.constantFrom(user('a'), signal('stop'), started, refused, exit(), done),
      fc.record({ source, body: json }),
    );
    fc.assert(
      fc.property(fc.array(said, { maxLength: 40 }), (events) => {
        let now = INITIAL;
        let open = 0;
        for (const event of events) {
          const change = advance(now, event);
          if (change.supersedes) open -= 1;
          if (change.opens) open += 1;
          if (change.closes) open -= 1;
          expect(open).toBe(change.next.open ? 1 : 0);
          now = change.next;
        }
        expect(lifecycleOf(events)).toEqual(now);
      }),
    );
  });

  it('[ST26] nothing is thinking or running once its process has ended', () => {
    const said = fc.oneof(
      fc.record({ source: fc.constant('fap' as const), body: agentEvent }),
      fc.constantFrom(user('a'), signal('stop'), started),
    );
    const ended = fc.constantFrom(exit(), exit({ code: 1 }), exit({ reason: 'lost' }), refused);
    fc.assert(
      fc.property(fc.array(said, { maxLength: 20 }), ended, (events, end) => {
        expect(['thinking', 'running']).not.toContain(lifecycleOf([...events, end]).status);
      }),
    );
  });
});

function row(
  rule: string,
  what: string,
  before: Said[],
  event: Said,
  rest: Omit<Row, 'rule' | 'before' | 'event'>,
): Row {
  return { rule: `[${rule}] ${what}`, before, event, ...rest };
}

describe('[TALK2] what a child has to say', () => {
  const told = {
    source: 'system' as const,
    body: { type: 'message', from: 'child', content: 'x' },
  };

  it('joins the open run, and is to be taken up', () => {
    const now: Lifecycle = { ...INITIAL, alive: true, open: true, status: 'running' };
    const { next, opens, supersedes } = advance(now, told);
    expect([opens, supersedes, next.unanswered]).toEqual([false, false, true]);
    const exit = { type: 'exit', reason: 'exited', code: 0, signal: null, epoch: 1 };
    expect(advance(next, { source: 'runner', body: exit }).next.reason).toBe('queued');
  });

  it('opens a run where none is open', () => {
    expect(advance(INITIAL, told)).toMatchObject({ opens: true, next: { reason: 'queued' } });
  });
});
