import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newStepId, newThreadId, newTunnelId } from '../../src/index.ts';
import {
  CF_SKY_VERSION,
  hashJson,
  makeTunnelToken,
  parseTunnelToken,
  receiptFault,
  reportClaim,
  requestClaim,
  type ToolReceipt,
  TUNNEL_LIMITS,
  TunnelRequests,
} from '../../src/sky/index.ts';

const thread = newThreadId();
const tunnel = newTunnelId();
const SESSION = 's'.repeat(32);
const NOW = Date.parse('2026-01-01T00:00:00Z');

function keys() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return {
    publicKey: raw.toString('base64'),
    sign: (claim: string) => sign(null, Buffer.from(claim), privateKey).toString('base64'),
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();

function scene() {
  const chat = keys();
  let now = NOW;
  const requests = new TunnelRequests({ signer: chat.publicKey, thread, tunnel, now: () => now });
  requests.open(SESSION);
  let count = 0;
  const make = (change: Record<string, unknown> = {}): string =>
    JSON.stringify({
      v: 1,
      thread,
      tunnel,
      session: SESSION,
      nonce: `n${String((count += 1)).padStart(31, '0')}`,
      at: iso(NOW),
      expires: iso(NOW + 30_000),
      tool: 'read',
      args: { path: 'a' },
      ...change,
    });
  const take = (text: string, by = chat) => requests.take(text, by.sign(requestClaim(text)));
  const fault = async (text: string, by = chat) => {
    const taken = await take(text, by);
    return taken.ok ? null : taken.fault;
  };
  return { chat, requests, make, take, fault, wait: (ms: number) => (now += ms) };
}

describe('[TUN3] [T22] requests of a chat', () => {
  it('are taken once', async () => {
    const { make, take, fault } = scene();
    const text = make();
    expect(await take(text)).toMatchObject({ ok: true, request: { args: { path: 'a' } } });
    expect(await fault(text)).toBe('replayed');
    expect(await fault(make())).toBeNull();
  });

  it('are refused when they are forged or changed after they were signed', async () => {
    const { chat, requests, make, fault } = scene();
    expect(await fault(make(), keys())).toBe('forged');
    const signature = chat.sign(requestClaim(make()));
    const changed = await requests.take(make({ tool: 'write' }), signature);
    expect(changed).toMatchObject({ ok: false, fault: 'forged' });
    const bare = make();
    expect(await requests.take(bare, chat.sign(bare))).toMatchObject({ fault: 'forged' });
    expect(await requests.take(make(), 'x')).toMatchObject({ fault: 'forged' });
  });

  it('are refused when they are of another chat, tunnel or connection', async () => {
    const { requests, make, fault } = scene();
    expect(await fault(make({ thread: newThreadId() }))).toBe('elsewhere');
    expect(await fault(make({ tunnel: newTunnelId() }))).toBe('elsewhere');
    const old = make();
    requests.open('t'.repeat(32));
    expect(await fault(old)).toBe('stale');
  });

  it('are refused after their time, however late that is said to be, and before it', async () => {
    const { make, fault, wait } = scene();
    const far = iso(NOW + 365 * 86_400_000);
    expect(await fault(make({ at: far, expires: far }))).toBe('early');
    expect(await fault(make({ expires: iso(NOW - 1) }))).toBe('expired');
    const long = make({ expires: far });
    wait(TUNNEL_LIMITS.requestMs + TUNNEL_LIMITS.skewMs);
    expect(await fault(long)).toBe('expired');
  });

  it('are remembered for as long as they would be taken', async () => {
    const { make, fault, wait } = scene();
    const text = make();
    expect(await fault(text)).toBeNull();
    wait(TUNNEL_LIMITS.requestMs + TUNNEL_LIMITS.skewMs - 1);
    expect(await fault(text)).toBe('replayed');
    wait(1);
    expect(await fault(text)).toBe('expired');
  });

  it('are refused when they are no requests', async () => {
    const { make, fault } = scene();
    expect(await fault('{}')).toBe('unreadable');
    expect(await fault('not json')).toBe('unreadable');
    expect(await fault(make({ more: 1 }))).toBe('unreadable');
  });
});

it('[TUN1] a token names its chat, its tunnel and the key of the chat', () => {
  const parts = {
    thread,
    tunnel,
    secret: Buffer.alloc(32, 251).toString('base64url'),
    signer: Buffer.alloc(32, 254).toString('base64'),
  };
  const token = makeTunnelToken(parts);
  expect(parseTunnelToken(token)).toEqual(parts);
  for (const wrong of ['', token.slice(1), `${token}x`, token.replace('fpn_', 'fpt_')])
    expect(parseTunnelToken(wrong)).toBeNull();
});

describe('[TUN6] the receipt of a machine', () => {
  const machine = keys();

  async function receipt(): Promise<ToolReceipt> {
    const args_hash = await hashJson({ path: 'a' });
    const output_hash = await hashJson({ text: 'x' });
    const claim = JSON.stringify({
      v: 1,
      thread,
      tunnel,
      nonce: 'n'.repeat(32),
      tool: 'read',
      args_hash,
      output_hash,
      status: 'completed',
      started_at: iso(NOW),
      duration_ms: 1,
    });
    const { publicKey: public_key } = machine;
    return {
      type: 'receipt.tool',
      cf_sky_version: CF_SKY_VERSION,
      thread_id: thread,
      run_id: null,
      step_id: newStepId(),
      tool_name: 'read',
      args_hash,
      output_hash,
      duration_ms: 2,
      status: 'completed',
      verified: true,
      executor: 'tunnel',
      local: { public_key, claim, signature: machine.sign(reportClaim(claim)) },
    };
  }

  it('stands for what the machine signed, and for nothing else', async () => {
    const good = await receipt();
    expect(await receiptFault(good)).toBeNull();
    const { local: _local, ...bare } = good;
    expect(await receiptFault({ ...bare, executor: 'workers' })).toBeNull();
    const other = 'f'.repeat(64);
    for (const change of [
      { output_hash: other },
      { args_hash: other },
      { tool_name: 'edit' },
      { status: 'error' },
      { thread_id: newThreadId() },
      { change: { path: 'a', input_hash: null, patch_hash: other, output_hash: other } },
    ] as const) {
      expect(await receiptFault({ ...good, ...change })).toBe('the machine signed something else');
    }
    expect(await receiptFault({ ...good, executor: 'workers' })).toContain('another executor');
    const { local } = good;
    if (!local) throw new Error('it is signed');
    const foreign = { ...local, public_key: keys().publicKey };
    expect(await receiptFault({ ...good, local: foreign })).toContain('does not match');
    const raw = { ...local, signature: machine.sign(local.claim) };
    expect(await receiptFault({ ...good, local: raw })).toContain('does not match');
  });
});
