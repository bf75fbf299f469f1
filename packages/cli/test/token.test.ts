import { type ApiToken, newTokenId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { token } from '../src/commands/token.ts';
import { against } from './against.ts';

const at = '2026-03-01T10:00:00.000Z';
const one: ApiToken = {
  id: newTokenId(),
  name: 'backup\u001b[2J',
  hint: 'wxyz',
  createdAt: at,
  expiresAt: '2026-05-30T10:00:00.000Z',
  usedAt: null,
};
const secret = `fpt_${'a'.repeat(43)}`;

const run = (args: string[], status: number, answer: unknown) =>
  against(token, args, status, answer);

describe('filepath token', () => {
  it('[UIG14] prints a new token alone on stdout, so that it can be stored by a pipe', async () => {
    const made = await run(['create', 'backup', '--days', '30'], 201, { token: one, secret });
    expect(made.asked).toEqual(['POST /api/tokens {"name":"backup","expiresInDays":30}']);
    expect(made.said).toEqual([secret]);
    expect(made.errors).toEqual([`${one.id} expires 2026-05-30. It is not shown again.`]);
    const usual = await run(['create', 'the', 'backup'], 201, { token: one, secret });
    expect(usual.asked).toEqual(['POST /api/tokens {"name":"the backup"}']);
    const never = await run(['create', 'x', '--days', 'never'], 201, { token: one, secret });
    expect(never.asked).toEqual(['POST /api/tokens {"name":"x","expiresInDays":null}']);
  });

  it('[UIG14] lists and revokes', async () => {
    const listed = await run(['list'], 200, { tokens: [one] });
    expect(listed.said).toEqual([`${one.id}  …wxyz  expires 2026-05-30  never used  backup [2J`]);
    const gone = await run(['revoke', one.id], 204, null);
    expect(gone).toMatchObject({ code: 0, asked: [`DELETE /api/tokens/${one.id}`] });
    const error = { code: 'not_found', message: 'this token does not exist' };
    const missing = await run(['revoke', one.id], 404, { error });
    expect([missing.code, missing.errors]).toEqual([1, ['this token does not exist']]);
  });

  it.each([
    [['create'], 'Say what the token is for'],
    [['create', 'x', '--days', '0'], 'is no number of days'],
    [['create', 'x', '--days', '1e3'], 'is no number of days'],
    [['revoke'], 'Name the token'],
    [['revoke', 'mem_1'], 'is no id of a token'],
    [['list', 'all'], 'one word too many'],
    [['mint'], 'cannot mint'],
  ])('[UIG14] %j is a wrong call, and nothing is asked', async (args, words) => {
    const { code, asked, errors } = await run(args, 200, null);
    expect(code).toBe(2);
    expect(asked).toEqual([]);
    expect(errors[0]).toContain(words);
  });
});
