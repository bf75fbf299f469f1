import { NO_USAGE, Session } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import {
  addressProblem,
  recentRepositories,
  shortRepository,
} from '../src/lib/text/repositories.ts';
import {
  agentsText,
  costText,
  deletionText,
  findSessions,
  shownStatus,
} from '../src/lib/text/sessions.ts';

const session = (name: string, change: Partial<Session> = {}): Session => ({
  id: Session.shape.id.parse(`ses_${name.padEnd(22, '0')}`),
  name,
  gitRepoUrl: null,
  status: 'draft',
  rootNodeId: null,
  nodeCount: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...change,
});
const used = (costUsd: number, unpriced = 0) => ({ ...NO_USAGE, costUsd, calls: 1, unpriced });

describe('[UIS5] the list of sessions', () => {
  const all = [
    session('b10', { updatedAt: '2026-01-02T00:00:00.000Z', usage: used(2), nodeCount: 1 }),
    session('b9', { gitRepoUrl: 'https://example.com/me/app', usage: used(3) }),
    session('a', { updatedAt: '2026-01-03T00:00:00.000Z', status: 'running', nodeCount: 1 }),
  ];
  const names = (...args: [string, Parameters<typeof findSessions>[2]]): string[] =>
    findSessions(all, ...args).map(({ name }) => name);

  it('is found by name, repository or status, by every word', () => {
    expect(names('APP me', 'name')).toEqual(['b9']);
    expect(names('running', 'name')).toEqual(['a']);
    expect(names('b running', 'name')).toEqual([]);
  });

  it('says what the agents are at, unless the session is held, stopped, failed or new', () => {
    expect(shownStatus(session('x', { status: 'running', activity: 'done' }))).toBe('done');
    expect(shownStatus(session('x', { status: 'running', activity: 'idle' }))).toBe('idle');
    expect(shownStatus(session('x', { status: 'running' }))).toBe('running');
    expect(shownStatus(session('x', { status: 'stopped', activity: 'done' }))).toBe('stopped');
  });

  it('is sorted, and the newest comes first among equals', () => {
    expect(names('', 'activity')).toEqual(['a', 'b10', 'b9']);
    expect(names('', 'name')).toEqual(['a', 'b9', 'b10']);
    expect(names('', 'cost')).toEqual(['b9', 'b10', 'a']);
    expect(names('', 'agents')).toEqual(['a', 'b10', 'b9']);
  });

  it('says counts and costs, and what goes with a session', () => {
    expect([0, 1, 2].map(agentsText)).toEqual(['no agent', '1 agent', '2 agents']);
    expect(costText(session('x'))).toBe('–');
    expect(costText(session('x', { usage: used(0.5) }))).toBe('$0.50');
    expect(costText(session('x', { usage: used(0.5, 1) }))).toBe('$0.50+');
    expect(deletionText(session('x', { nodeCount: 3 }))).toContain('Its 3 agents');
  });
});

describe('[UIS6] addresses of repositories', () => {
  it.each([
    ['', null],
    ['https://example.com/a/b', null],
    ['git@example.com:a/b.git', null],
    ['/srv/app', null],
    ['./app', 'A path begins with /'],
    ['/srv/my app', 'no spaces'],
    ['example.com/a', 'Enter an https'],
  ])('%s', (address, problem) => {
    const found = addressProblem(address);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });

  it('those used before are kept once each, without any that carries a token', () => {
    expect(
      recentRepositories([
        '/a',
        null,
        '',
        'https://token@example.com/a',
        'ssh://git@example.com/b',
        '/a',
        'nonsense',
      ]),
    ).toEqual(['/a', 'ssh://git@example.com/b']);
    expect(recentRepositories(Array.from({ length: 20 }, (_, at) => `/r${at}`))).toHaveLength(6);
  });

  it.each([
    ['https://example.com/me/app.git', 'me/app'],
    ['git@example.com:me/app', 'me/app'],
    ['/srv/deep/app/', 'app'],
  ])('%s is %s for short', (address, short) => {
    expect(shortRepository(address)).toBe(short);
  });
});
