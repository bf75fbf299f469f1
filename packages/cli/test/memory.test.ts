import { type Memory, newMemoryId, newSessionId, newThreadId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { memory } from '../src/commands/memory.ts';
import { against } from './against.ts';

const at = '2026-03-01T10:00:00.000Z';
const one: Memory = {
  id: newMemoryId(),
  scope: 'repository',
  key: 'git.test/shop',
  content: 'Use pnpm.\n\u001b[2Jgone\u202e',
  tags: ['ci'],
  source: { by: 'agent', name: 'amber', session: newSessionId(), thread: newThreadId(), seq: 3 },
  createdAt: at,
  updatedAt: at,
  uses: 0,
  lastUsedAt: null,
};

const run = (args: string[], status: number, answer: unknown) =>
  against(memory, args, status, answer);

describe('filepath memory', () => {
  it('[MEM15] lists and searches, without what a terminal would take for a command', async () => {
    const found = { memories: [one], total: 3 };
    const listed = await run(['list', '--repository', 'https://git.test/shop'], 200, found);
    expect(listed.asked).toEqual([
      'GET /api/memories?repository=https%3A%2F%2Fgit.test%2Fshop&limit=500',
    ]);
    expect(listed.said).toEqual([
      `${one.id}  2026-03-01  repository git.test/shop  by amber  [ci]`,
      '  Use pnpm.',
      '   [2Jgone ',
    ]);
    expect(listed.errors).toEqual(['These are the newest 1 of 3. Search for the others.']);
    const searched = await run(['search', 'use', 'pnpm', '--scope', 'user', '--json'], 200, found);
    expect(searched.asked).toEqual(['GET /api/memories?q=use+pnpm&scope=user&limit=500']);
    expect(JSON.parse(searched.said.join('\n'))).toEqual(found);
  });

  it('[MEM15] adds for all agents or those on a repository, and forgets by id', async () => {
    const stored = { memory: one, refreshed: false, dropped: 0 };
    const added = await run(['add', 'Use pnpm.', '--repository', '/srv/shop'], 201, stored);
    expect(added.asked).toEqual([
      'POST /api/memories {"content":"Use pnpm.","scope":"repository","key":"/srv/shop"}',
    ]);
    expect(added.said).toEqual([`${one.id} is remembered`]);
    const all = await run(['add', 'Be', 'brief.'], 201, { ...stored, refreshed: true });
    expect(all.asked).toEqual(['POST /api/memories {"content":"Be brief."}']);
    const gone = await run(['forget', one.id], 204, null);
    expect(gone).toMatchObject({ code: 0, asked: [`DELETE /api/memories/${one.id}`] });
  });

  it.each([
    [['forget'], 'Name what to forget'],
    [['forget', 'th_1'], 'is no id of a memory'],
    [['search'], 'Say what to search for'],
    [['add', ' '], 'Say what to remember'],
    [['add', 'x', '--scope', 'agent'], 'Leave --scope out'],
    [['list', '--scope', 'all'], 'all is no scope'],
    [['dream'], 'cannot dream'],
  ])('[MEM15] %j is a wrong call, and nothing is asked', async (args, words) => {
    const { code, asked, errors } = await run(args, 200, null);
    expect(code).toBe(2);
    expect(asked).toEqual([]);
    expect(errors[0]).toContain(words);
  });

  it('[MEM15] says what filepath refused', async () => {
    const error = { code: 'not_found', message: 'this memory does not exist' };
    const { code, errors } = await run(['forget', one.id], 404, { error });
    expect([code, errors]).toEqual([1, ['this memory does not exist']]);
  });
});
