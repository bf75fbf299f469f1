import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { signExport } from '../../src/auth/instance-key.ts';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'base64'));

describe('the instance key', () => {
  it('is created once, however many ask for it first', async () => {
    const signed = await Promise.all(Array.from({ length: 6 }, () => signExport(env, 'claim')));
    expect(new Set(signed.map((each) => each.publicKey)).size).toBe(1);
    expect(new Set(signed.map((each) => each.signature)).size).toBe(1);
    const rows = await env.DB.prepare('select id from instance_key').all();
    expect(rows.results).toEqual([{ id: 1 }]);
  });

  it('signs what its raw public key verifies', async () => {
    const { publicKey, signature } = await signExport(env, 'claim');
    expect(bytes(publicKey).length).toBe(32);
    const key = await crypto.subtle.importKey('raw', bytes(publicKey), 'Ed25519', true, ['verify']);
    const verify = (claim: string) =>
      crypto.subtle.verify('Ed25519', key, bytes(signature), new TextEncoder().encode(claim));
    expect(await verify('claim')).toBe(true);
    expect(await verify('another claim')).toBe(false);
  });
});
