import { describe, expect, it } from 'vitest';
import {
  type Block,
  blobRef,
  newStepId,
  newThreadId,
  rejectedLine,
  toBlocks,
} from '../src/index.ts';
import { exit, fap, log, runner, type Said, signal, started, system, user } from './events.ts';

const shown = (...said: Said[]): readonly Block[] => toBlocks(log(...said));
const tool = (status: string, more: Record<string, unknown> = {}): Said['body'] => ({
  type: 'tool',
  name: 'write',
  status,
  ...more,
});
const command = (cmd: string, status: string, more: Record<string, unknown> = {}): Said =>
  fap({ type: 'command', cmd, status, ...more });

const relayed = (more: Record<string, unknown> = {}): Said => ({
  source: 'system',
  body: {
    type: 'handoff',
    why: 'handoff',
    handoff: 1,
    from: 1,
    to: 2,
    task: null,
    content: 'go on',
    ...more,
  },
});

it('[BLK13] a handoff and the process that goes on with it are one block', () => {
  const said = fap({ type: 'handoff', summary: 's' });
  const [before] = shown(said);
  const blocks = shown(said, exit({ reason: 'handoff' }), relayed());
  expect(blocks.map(({ kind }) => kind)).toEqual(['handoff', 'notice']);
  expect(blocks[0]).toMatchObject({
    id: before?.id,
    summary: 's',
    next: { why: 'handoff', from: 1, to: 2, content: 'go on' },
  });
  expect(blocks[1]).toMatchObject({ level: 'info', text: 'ended: a fresh process goes on' });
});

it('[BLK14] a process that ends at a limit is not called a handoff', () => {
  const limit = (over: object): Said => ({
    source: 'system',
    body: {
      type: 'limit',
      reason: 'lab limit',
      until: '2026-01-01T00:00:00Z',
      ended: true,
      ...over,
    },
  });
  const texts = (...said: Said[]) =>
    shown(...said).map((block) => (block.kind === 'notice' ? block.text : block.kind));
  const end = exit({ reason: 'handoff' });
  const ended = "ended at the provider's limit: another process goes on";
  expect(texts(limit({}), end, end)).toEqual([
    'lab limit',
    ended,
    'ended: a fresh process goes on',
  ]);
  const handoff = fap({ type: 'handoff', summary: 's' });
  expect(texts(limit({}), handoff, end).at(-1)).toBe('ended: a fresh process goes on');
  const details = [{}, { over: true }].map((over) => {
    const [block] = shown(limit(over));
    return block?.kind === 'notice' ? block.detail : null;
  });
  expect(details).toEqual([
    'Its run ended by that. It goes on by itself when the limit is over.',
    'Its run ended by that. It goes on at once: the limit is over.',
  ]);
});

describe('one event, one block', () => {
  type Case = [string, Said, Partial<Block> & Record<string, unknown>];
  const LATER = '2026-01-01T02:00:00.000Z';
  const rows: Case[] = [
    ['message', user('hi'), { kind: 'message', from: 'user', content: 'hi', verified: false }],
    [
      'message of a parent',
      { source: 'parent', body: { type: 'message', from: 'parent', content: 'go' } },
      { kind: 'message', from: 'parent', content: 'go' },
    ],
    ['restart', signal('restart'), { kind: 'notice', level: 'info', text: 'asked to start again' }],
    [
      '[BLK13] fresh process without a summary',
      relayed({ why: 'restart', handoff: null }),
      {
        kind: 'handoff',
        summary: null,
        next: { why: 'restart', from: 1, to: 2, content: 'go on' },
      },
    ],
    [
      '[BLK13] person asks for a handoff',
      { source: 'user', body: { type: 'signal', action: 'handoff', until: LATER } },
      {
        kind: 'notice',
        text: 'asked to hand off',
        detail: `by a person; if the agent has not by ${LATER}, filepath does`,
      },
    ],
    [
      '[BLK13] handoff by filepath',
      { source: 'system', body: { type: 'signal', action: 'handoff', reason: 'not in time' } },
      { kind: 'notice', text: 'handed off by filepath', detail: 'not in time' },
    ],
    [
      '[BLK13] limit of handoffs',
      { source: 'system', body: { type: 'handoff_limit', handoffs: 10, reason: 'ten times' } },
      { kind: 'notice', level: 'error', text: 'ten times' },
    ],
    [
      '[BLK14] limit of a provider',
      {
        source: 'system',
        body: {
          type: 'limit',
          reason: 'lab limit until then',
          until: '2026-01-01T00:00:00.000Z',
          ended: false,
        },
      },
      { kind: 'notice', level: 'warn', text: 'lab limit until then', detail: null },
    ],
    ['signal', signal('stop'), { kind: 'notice', level: 'info', text: 'asked to stop' }],
    ...(['a lab', `a lab limit until ${LATER}`] as const).map((reason): Case => [
      `[BLK14] pause with the reason "${reason}"`,
      { source: 'system', body: { type: 'signal', action: 'pause', reason, until: LATER } },
      {
        kind: 'notice',
        text: 'asked to pause',
        detail: reason === 'a lab' ? `a lab, until ${LATER}` : reason,
      },
    ]),
    [
      'decision of a person',
      { source: 'user', body: { type: 'decision', id: 'd', choice: 'yes' } },
      { kind: 'notice', text: 'answered: yes' },
    ],
    [
      'text',
      fap({ type: 'text', content: 'a' }),
      { kind: 'text', partial: false, truncated: false },
    ],
    [
      'text that an agent left unfinished',
      fap({ type: 'text', content: 'a', id: 'm', truncated: true }),
      { kind: 'text', truncated: true },
    ],
    [
      'workers',
      fap({ type: 'workers', workers: [{ name: 'a', status: 'done', x: 1 }] }),
      { kind: 'workers', workers: [{ name: 'a', status: 'done' }] },
    ],
    [
      'handoff',
      fap({ type: 'handoff', summary: 's' }),
      { kind: 'handoff', summary: 's', next: null },
    ],
    ['done', fap({ type: 'done' }), { kind: 'done', summary: null }],
    [
      'plan',
      fap({ type: 'plan', steps: [{ title: 'a' }] }),
      { kind: 'plan', steps: [{ title: 'a', status: 'pending' }] },
    ],
    [
      'usage',
      fap({ type: 'usage', input: 3 }),
      { kind: 'usage', model: null, input: 3, output: 0, cost: null },
    ],
    [
      'decision',
      fap({ type: 'decision', id: 'd', prompt: 'p', options: ['yes'] }),
      { kind: 'decision', decision: 'd', prompt: 'p', options: ['yes'] },
    ],
    [
      'memory',
      fap({ type: 'memory', content: 'c', scope: 'user' }),
      { kind: 'memory', content: 'c', scope: 'user' },
    ],
    ['log', fap({ type: 'log', message: 'm' }), { kind: 'log', level: 'info', head: null }],
    ['start', started, { kind: 'notice', text: 'started', verified: true }],
    [
      'start without a sandbox',
      runner({ type: 'started', epoch: 1, executor: 'unsandboxed' }),
      { kind: 'notice', level: 'warn', text: 'started without a sandbox' },
    ],
    [
      'clone',
      runner({ type: 'workspace', epoch: 1, state: 'cloning', detail: 'https://x.test/r' }),
      { kind: 'notice', text: 'cloning the repository', detail: 'https://x.test/r' },
    ],
    [
      'health',
      runner({
        type: 'health',
        epoch: 2,
        state: 'done',
        rescued: { ref: 'refs/filepath/rescue/2', hash: 'a'.repeat(40), files: 3 },
        checks: [
          { name: 'types', command: 'tsc', outcome: 'passed', seconds: 2.04, tail: '' },
          { name: 'build', command: 'make', outcome: 'failed', seconds: 1, tail: '1 error' },
          { name: 'lint', command: 'x', outcome: 'skipped', seconds: 0, tail: 'not here' },
        ],
        blocked: false,
      }),
      {
        kind: 'notice',
        level: 'warn',
        text: 'workspace: uncommitted work rescued (3); build failed; types passed',
        detail: [
          `uncommitted work of an earlier process (3 files) is kept as commit ${'a'.repeat(40)} under refs/filepath/rescue/2; the files are in the workspace as they were`,
          'types: passed (2.0 s): tsc',
          'build: failed (1.0 s): make',
          '1 error',
          'lint: not checked: not here',
        ].join('\n'),
      },
    ],
    [
      'refusal',
      runner({ type: 'refused', epoch: 1, reason: 'no bubblewrap' }),
      { kind: 'notice', level: 'error', text: 'could not start: no bubblewrap' },
    ],
    [
      '[NET9] denied host',
      runner({
        type: 'denied',
        epoch: 1,
        host: 'example.com',
        port: 443,
        reason: 'not allowed',
        hint: 'add it',
      }),
      {
        kind: 'notice',
        level: 'warn',
        text: 'no access to example.com:443: not allowed',
        detail: 'add it',
      },
    ],
    [
      '[NET9] denied address',
      runner({ type: 'denied', epoch: 1, host: '::1', port: 80, reason: 'no', hint: '' }),
      { kind: 'notice', level: 'warn', text: 'no access to [::1]:80: no', detail: null },
    ],
    [
      '[NET9] further denied hosts',
      runner({ type: 'denied', epoch: 1, host: null, port: null, reason: 'more', hint: 'h' }),
      { kind: 'notice', level: 'warn', text: 'more', detail: 'h' },
    ],
    [
      'exit with a code',
      exit({ code: 3, stderr: 'boom' }),
      { kind: 'notice', level: 'error', text: 'exited with code 3', detail: 'boom' },
    ],
    ['good exit', exit(), { kind: 'notice', level: 'info', text: 'exited with code 0' }],
    ['exit after stop', exit({ reason: 'stopped' }), { kind: 'notice', text: 'stopped' }],
    [
      'kill',
      exit({ code: null, signal: 'SIGKILL' }),
      { kind: 'notice', level: 'error', text: 'killed by SIGKILL' },
    ],
    [
      'limit',
      exit({ reason: 'limit', detail: 'spool full', stderr: 'e' }),
      { kind: 'notice', text: 'ended at a limit: spool full', detail: 'e' },
    ],
    [
      'rejected line',
      runner(rejectedLine('garb', 4, { path: '(root)', reason: 'not JSON' })),
      { kind: 'log', level: 'warn', head: 'garb', verified: true },
    ],
    [
      'body in the blob store',
      fap(blobRef('text', newThreadId(), 'a'.repeat(64), 300_000)),
      { kind: 'blob', type: 'text', sha256: 'a'.repeat(64), bytes: 300_000 },
    ],
    [
      'event of Sky without its ids',
      { source: 'sky', body: { type: 'run.started' } },
      { kind: 'unknown', source: 'sky', json: '{"type":"run.started"}' },
    ],
    ['type nobody knows', fap({ type: 'teleport' }), { kind: 'unknown', source: 'fap' }],
  ];

  it.each(rows)('[BLK2] %s', (_name, said, block) => {
    expect(shown(said)).toEqual([expect.objectContaining({ seq: 1, id: 'e1', ...block })]);
  });

  it.each([
    ['an exit', exit().body],
    ['a rejected line', rejectedLine('x', 1, { path: '(root)', reason: 'not JSON' })],
    ['a spawned child', { type: 'spawned', spawn: 1, node: newThreadId(), name: 'x' }],
    ['a message', user('hi').body],
  ])('[BLK8] an agent that forges %s makes no block of that kind', (_name, body) => {
    const [block] = shown(fap(body));
    expect(block?.verified).toBe(false);
    expect(['notice', 'message', 'spawn']).not.toContain(block?.kind);
    expect(block).not.toHaveProperty('head', 'x');
  });
});

describe('tools and commands', () => {
  it('[BLK3] start and done with one id are one block, whatever lies between', () => {
    const blocks = shown(
      fap(tool('start', { id: '1', path: 'a', input: { n: 1 } })),
      fap(tool('start', { id: '2', path: 'b' })),
      fap({ type: 'text', content: 'x' }),
      fap(tool('done', { id: '1', output: 'ok', durationMs: 4 })),
    );
    expect(blocks).toMatchObject([
      { id: 'e1', status: 'done', path: 'a', input: { n: 1 }, output: 'ok', durationMs: 4 },
      { id: 'e2', status: 'start', path: 'b' },
      { kind: 'text' },
    ]);
  });

  it('[BLK3] a second start with the id of an open block adds to it', () => {
    const blocks = shown(
      fap(tool('start', { id: '1' })),
      fap(tool('start', { id: '1', input: 'late' })),
      fap(tool('done', { id: '1' })),
      fap(tool('start', { id: '1' })),
    );
    expect(blocks).toMatchObject([{ status: 'done', input: 'late' }, { status: 'start' }]);
  });

  it('[BLK3] without ids the step decides', () => {
    const [one, two] = [newStepId(), newStepId()];
    const blocks = shown(
      fap(tool('start', { path: 'a' }), one),
      fap(tool('start', { path: 'a' }), two),
      fap(tool('error', { path: 'a', output: 'first' }), one),
    );
    expect(blocks).toMatchObject([{ status: 'error', output: 'first' }, { status: 'start' }]);
  });

  it('[BLK3] without ids and steps the latest open one of the same name and path', () => {
    const blocks = shown(
      fap(tool('start', { path: 'a' })),
      fap(tool('start', { path: 'a' })),
      fap(tool('start', { path: 'b' })),
      fap(tool('done', { path: 'a', output: '2' })),
      fap(tool('done', { path: 'a', output: '1' })),
      fap(tool('done', { path: 'a', output: 'alone' })),
      fap(tool('done', { output: 'no path' })),
    );
    expect(blocks).toMatchObject([
      { path: 'a', output: '1' },
      { path: 'a', output: '2' },
      { path: 'b', status: 'done', output: 'no path' },
      { path: 'a', output: 'alone' },
    ]);
  });

  it('[BLK3] an id ends no block that has another id', () => {
    const blocks = shown(fap(tool('start', { id: '1' })), fap(tool('done', { id: '2' })));
    expect(blocks).toMatchObject([{ status: 'start' }, { status: 'done' }]);
  });

  it('[BLK3] a command ends by its command line, and is never a tool', () => {
    const blocks = shown(
      command('ls', 'start'),
      fap({ type: 'tool', name: 'ls', status: 'done' }),
      command('ls', 'error', { exit: 2, stderr: 'no' }),
    );
    expect(blocks).toMatchObject([
      { kind: 'command', cmd: 'ls', status: 'error', exit: 2, stdout: null, stderr: 'no' },
      { kind: 'tool', name: 'ls' },
    ]);
  });
});

describe('[TALK8] children', () => {
  const id = newThreadId();
  const worker = { name: 'kid', status: 'running' };

  it('stand in one block of the system, as they are now; what the agent says of them is beside it', () => {
    const blocks = shown(
      system({ type: 'workers', workers: [{ ...worker, id }] }),
      fap({ type: 'workers', workers: [{ ...worker, status: 'error' }] }),
      system({ type: 'workers', workers: [{ ...worker, id, status: 'done' }] }),
    );
    expect(blocks).toMatchObject([
      { kind: 'workers', by: 'system', seq: 1, workers: [{ id, status: 'done' }] },
      { kind: 'workers', by: 'agent', workers: [{ name: 'kid', status: 'error' }] },
    ]);
  });

  it('that were asked for by a tool have a block of their own, with their task', () => {
    const made = { node: id, name: 'kid', agent: 'pi', model: 'm', task: 'dig' };
    expect(shown(system({ type: 'spawned', ...made }))).toMatchObject([
      { kind: 'spawn', state: 'created', name: 'kid', agent: 'pi', task: 'dig', node: id },
    ]);
  });

  it('[TALK1] say by a message how they ended', () => {
    const child = { id, name: 'kid' };
    const body = { type: 'message', from: 'child', child, content: 'dug' };
    expect(shown(system(body))).toMatchObject([{ kind: 'message', from: 'child', child }]);
  });
});
