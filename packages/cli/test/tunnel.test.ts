import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LiteclawTunnel, newThreadId, newTunnelId } from '@filepath/protocol';
import { makeTunnelToken } from '@filepath/protocol/sky';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runner } from '../src/commands/runner.ts';
import { tunnel } from '../src/commands/tunnel.ts';
import { against } from './against.ts';

const one: LiteclawTunnel = {
  id: newTunnelId(),
  name: 'laptop\u001b[2J',
  hint: 'wxyz',
  createdAt: '2026-03-01T10:00:00.000Z',
  connected: true,
  seenAt: '2026-03-01T10:00:00.000Z',
  publicKey: 'a'.repeat(44),
  tools: ['read', 'edit'],
  folder: 'project',
};
const token = makeTunnelToken({
  thread: newThreadId(),
  tunnel: one.id,
  secret: 's'.repeat(43),
  signer: `${'k'.repeat(43)}=`,
});

const run = (args: string[], status: number, answer: unknown) =>
  against(tunnel, args, status, answer);

describe('filepath tunnel', () => {
  it('[TUN1] prints a token alone on stdout, so that it can be stored by a pipe', async () => {
    const made = await run(['create', 'my', 'laptop'], 201, { tunnel: one, token });
    expect(made.asked).toEqual(['POST /api/liteclaw/tunnels {"name":"my laptop"}']);
    expect(made.said).toEqual([token]);
    const next = await run(['rotate', one.id], 200, { tunnel: one, token });
    expect(next.asked).toEqual([`POST /api/liteclaw/tunnels/${one.id} {"action":"rotate"}`]);
    expect(next.said).toEqual([token]);
  });

  it('[TUN1] lists, disconnects and revokes', async () => {
    const listed = await run(['list'], 200, { tunnels: [one] });
    expect(listed.said).toEqual([`${one.id}  …wxyz  connected  project (read, edit)  laptop [2J`]);
    const off = await run(['disconnect', one.id], 204, null);
    expect(off.asked).toEqual([`POST /api/liteclaw/tunnels/${one.id} {"action":"disconnect"}`]);
    const gone = await run(['revoke', one.id], 204, null);
    expect(gone).toMatchObject({ code: 0, asked: [`DELETE /api/liteclaw/tunnels/${one.id}`] });
  });

  it.each([
    [['create'], 'Say which machine'],
    [['rotate'], 'Name the tunnel'],
    [['revoke', 'tok_1'], 'is no id of a tunnel'],
    [['list', 'all'], 'one word too many'],
    [['dig'], 'cannot dig'],
  ])('[TUN1] %j is a wrong call, and nothing is asked', async (args, words) => {
    const { code, asked, errors } = await run(args, 200, null);
    expect(code).toBe(2);
    expect(asked).toEqual([]);
    expect(errors[0]).toContain(words);
  });
});

describe('filepath runner', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'filepath-runner-'));
    writeFileSync(join(dir, 'token'), token);
    writeFileSync(join(dir, 'wrong'), 'fpt_x');
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it.each([
    [[], 'Say --tunnel'],
    [['--tunnel'], '--dir'],
    [['--tunnel', '--dir', 'DIR/none'], 'There is no directory'],
    [['--tunnel', '--dir', 'DIR', '--tools', 'read,bash'], 'not bash'],
    [['--tunnel', '--dir', 'DIR', '--tools', ''], 'lets read, edit, write through'],
    [['--tunnel', '--dir', 'DIR', '--url', 'http://10.0.0.1'], 'neither https'],
    [['--tunnel', '--dir', 'DIR', '--url', 'ftp://localhost'], 'neither https'],
    [['--tunnel', '--dir', 'DIR', '--url', 'http://localhost.example'], 'neither https'],
    [['--tunnel', '--dir', 'DIR'], 'FILEPATH_TUNNEL_TOKEN'],
    [['--tunnel', '--dir', 'DIR', '--token-file', 'DIR/none'], 'cannot be read'],
    [['--tunnel', '--dir', 'DIR', '--token-file', 'DIR/wrong'], 'none of a tunnel'],
  ])('[TUN11] %j is a wrong call, and nothing is dialled', async (args, words) => {
    const given = args.map((arg) => arg.replace('DIR', dir));
    const { code, asked, errors } = await against(runner, given, 200, null);
    expect(code).toBe(2);
    expect(asked).toEqual([]);
    expect(errors[0]).toContain(words);
  });
});
