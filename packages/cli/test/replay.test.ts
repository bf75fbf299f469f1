import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { LogEvent } from '@filepath/protocol';
import { readSkyExport, type Receipt, writeSkyExport } from '@filepath/protocol/sky';
import { describe, expect, it } from 'vitest';
import { replay } from '../src/commands/replay.ts';
import { recordedIo } from './io.ts';

const file = new URL('../../protocol/corpus/sky-export/1.jsonl', import.meta.url);
const text = readFileSync(file, 'utf8');

async function verdict(given: string) {
  const io = recordedIo(given);
  const code = await replay(['-'], io);
  return { code, said: io.said.join('\n') };
}

/** The same export with a receipt changed, every hash made anew and signed by another key. */
async function forged(change: (receipt: Receipt) => Receipt): Promise<string> {
  const lines = async function* () {
    for (const [at, line] of text.trimEnd().split('\n').entries())
      yield { number: at + 1, text: line, ended: true };
  };
  const events: LogEvent[] = [];
  const receipts: Receipt[] = [];
  let about = null;
  for await (const { type, body } of readSkyExport(lines())) {
    if (type === 'sky.export') about = body;
    if (type === 'event') events.push(body);
    if (type === 'receipt') receipts.push(change(body));
  }
  if (about === null) throw new Error('no header');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString(
    'base64',
  );
  const { thread_id, name, exported_at, after } = about;
  const source = {
    thread_id,
    name,
    exported_at,
    after,
    messages: [],
    events,
    receipts,
    memory: null,
  };
  let out = '';
  for await (const line of writeSkyExport(source, async (claim) => ({
    publicKey: key,
    signature: signBytes(null, Buffer.from(claim), privateKey).toString('base64'),
  })))
    out += line;
  return out;
}

describe('filepath replay', () => {
  it('[TOOL13] compares the calls of an export with their receipts', async () => {
    expect(await verdict(text)).toEqual({
      code: 0,
      said: 'ok: 1 calls compared with their receipts, 0 of them done again, 0 on files that are not in the export',
    });
  });

  it('[TOOL13] ends with 1 and the line of a receipt that was changed', async () => {
    const changed = await forged((receipt) =>
      receipt.type === 'receipt.tool' ? { ...receipt, output_hash: 'f'.repeat(64) } : receipt,
    );
    const { code, said } = await verdict(changed);
    expect(code).toBe(1);
    expect(said).toMatch(
      /^DIFFERENCE: line \d+: output_hash of the receipt .* call of edit in line \d+$/m,
    );
    expect(said).toMatch(/^1 differences: /m);
  });

  it('[TOOL13] ends with 1 where the export itself was changed', async () => {
    const { code, said } = await verdict(text.replace('"edit"', '"read"'));
    expect(code).toBe(1);
    expect(said).toMatch(/^FAULT: line \d+: it is changed/);
  });
});
