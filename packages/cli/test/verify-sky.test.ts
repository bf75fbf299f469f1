import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newThreadId, readLines } from '@filepath/protocol';
import { SKY_LINE, type SignClaim, writeSkyExport } from '@filepath/protocol/sky';
import { tempDir } from '@filepath/testkit';
import { describe, expect, it } from 'vitest';
import { verify } from '../src/commands/verify.ts';
import { recordedIo } from './io.ts';

const file = new URL('../../protocol/corpus/sky-export/1.jsonl', import.meta.url);
const text = readFileSync(file, 'utf8');
const lines = text.split('\n').slice(0, -1);

async function verdict(given: string | Uint8Array, ...args: string[]) {
  const io = recordedIo(given);
  const code = await verify(['-', ...args], io);
  return { code, said: io.said.join('\n') };
}

function keyPair(): { publicKey: string; sign: SignClaim } {
  const pair = generateKeyPairSync('ed25519');
  const { x = '' } = pair.publicKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url').toString('base64');
  const sign: SignClaim = async (claim) => ({
    publicKey,
    signature: signBytes(null, Buffer.from(claim), pair.privateKey).toString('base64'),
  });
  return { publicKey, sign };
}

describe('filepath verify of a chat', () => {
  it('[SKY10] accepts an export and says what is in it and who signed it', async () => {
    const { code, said } = await verdict(text);
    expect(said).toContain('ok: 2 messages, 9 events, 2 receipts, 1 memory of th_0123456789');
    expect(said).toMatch(/^head [0-9a-f]{64}$/m);
    expect(said).toMatch(/^signed by \S{44} \(not compared/m);
    expect(code).toBe(0);
  });

  it.each([
    ['event', 'it is changed'],
    ['receipt', 'it is changed'],
    ['message', 'it is changed'],
    ['memory', 'it is changed'],
  ])('[SKY10] names the line of a changed %s', async (type, reason) => {
    const at = lines.findIndex((line) => line.includes(`"type":"${type}"`));
    const line = lines[at] ?? '';
    // The last letter of the body.
    const place = line.lastIndexOf(',"hash"') - 3;
    const changed = `${line.slice(0, place)}${line[place] === '0' ? '1' : '0'}${line.slice(place + 1)}`;
    const { code, said } = await verdict(`${lines.with(at, changed).join('\n')}\n`);
    expect(said).toContain(`FAULT: line ${at + 1}: ${reason}`);
    expect(code).toBe(1);
  });

  it('[SKY10] names a line that is gone, a cut tail, and what follows the end', async () => {
    const without = await verdict(`${lines.toSpliced(4, 1).join('\n')}\n`);
    expect(without.said).toContain('FAULT: line 5: line 5 is missing or comes later');
    const cut = await verdict(`${lines.slice(0, -1).join('\n')}\n`);
    expect(cut.said).toContain(`FAULT: line ${lines.length}: the tail is cut`);
    const more = await verdict(`${text}${lines[1] ?? ''}\n`);
    expect(more.said).toContain('something follows the end');
    expect([without.code, cut.code, more.code]).toEqual([1, 1, 1]);
  });

  it('[SKY10] holds the export against the key it was told', async () => {
    const [ours, theirs] = [keyPair(), keyPair()];
    const none = { messages: [], events: [], receipts: [], memory: null };
    const about = { thread_id: newThreadId(), name: 'c', exported_at: '2026-01-01T00:00:00.000Z' };
    let written = '';
    for await (const line of writeSkyExport({ ...about, ...none }, ours.sign)) written += line;
    expect(await verdict(written, '--key', ours.publicKey)).toMatchObject({ code: 0 });
    const other = await verdict(written, '--key', theirs.publicKey);
    expect(other).toMatchObject({ code: 1, said: expect.stringContaining('the key is another') });
  });

  it('[SKY10] reads a file, and a line of any length in bounded memory', async () => {
    using dir = tempDir();
    const long = join(dir.path, 'long.jsonl');
    writeFileSync(
      long,
      `${lines[0] ?? ''}\n{"n":2,"type":"message","body":"${'x'.repeat(SKY_LINE)}`,
    );
    const io = recordedIo();
    expect(await verify([long], io)).toBe(1);
    expect(io.said.join()).toContain(`line 2: it is changed: longer than ${SKY_LINE} bytes`);
    const kept: number[] = [];
    for await (const line of readLines(createReadStream(long), SKY_LINE)) {
      kept.push(line.text?.length ?? 0);
    }
    expect(kept).toEqual([lines[0]?.length, 0]);
  });
});
