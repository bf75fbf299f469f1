import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@filepath/testkit';
import { describe, expect, it } from 'vitest';
import { verify } from '../src/commands/verify.ts';
import { recordedIo } from './io.ts';
import { endOf, newKey, ndjson, signedExport } from './signed-export.ts';

const key = newKey();
const good = signedExport(key, ['one', 'two', 'three', 'four']);
const { header, events, receipts, end } = good;
const [receipt] = receipts;
const [e1, e2, e3, e4] = events;

async function verdict(lines: readonly unknown[], ...args: string[]) {
  const io = recordedIo(typeof lines === 'string' ? lines : ndjson(lines));
  const code = await verify(['-', ...args], io);
  return { code, said: io.said.join('\n') };
}

describe('filepath verify', () => {
  it('[EXP1] accepts an export and says who signed it', async () => {
    const { code, said } = await verdict([header, ...events, ...receipts, end]);
    expect(code).toBe(0);
    expect(said).toContain(`ok: 4 events, 1 receipts of ${good.thread}`);
    expect(said).toContain(`signed by ${key.publicKey}`);
  });

  it('[EXP1] reads a file, and accepts a thread without events', async () => {
    using dir = tempDir();
    const empty = signedExport(key, []);
    const file = join(dir.path, 'thread.ndjson');
    writeFileSync(file, ndjson([empty.header, ...empty.receipts, empty.end]));
    expect(await verify([file], recordedIo())).toBe(0);
    const missing = recordedIo();
    expect(await verify([join(dir.path, 'none')], missing)).toBe(1);
    expect(missing.errors.join()).toContain('cannot be read');
  });

  const changed = { ...e3, event: { ...e3?.event, body: { type: 'text', content: 'THREE' } } };
  const late = { ...e2, event: { ...e2?.event, at: '2027-01-01T00:00:00.000Z' } };
  const other = signedExport(key, ['one', 'two', 'three', 'four']);
  const forged = newKey();
  it.each<[rule: string, what: string, lines: unknown[], fault: string]>([
    ['EXP4', 'a changed body', [header, e1, e2, changed, e4, end], 'event 3 is changed'],
    ['EXP4', 'a changed time', [header, e1, late, e3, e4, end], 'event 2 is changed'],
    ['EXP4', 'a missing event', [header, e1, e3, e4, end], 'event 2 is missing'],
    ['EXP4', 'a missing first event', [header, e2, e3, e4, end], 'event 1 is missing'],
    ['EXP4', 'two swapped events', [header, e1, e3, e2, e4, end], 'event 2 is reordered'],
    ['EXP4', 'an event twice', [header, e1, e2, e2, e3, e4, end], 'event 2 is reordered'],
    ['EXP4', 'an event after receipts', [header, e1, ...receipts, e2, end], 'event 2 is reordered'],
    [
      'EXP4',
      'an event of another thread',
      [header, e1, other.events[1], end],
      'event 2 is changed',
    ],
    ['EXP4', 'a line that is no event', [header, e1, { type: 'event' }, end], 'event 2 is changed'],
    ['EXP5', 'no end', [header, e1, e2, e3, e4], 'the tail is cut: no end after event 4'],
    ['EXP5', 'a cut tail with an end', [header, e1, e2, end], 'event 3 is missing, the end says 4'],
    [
      'EXP5',
      'a tail added to a signed export',
      [header, ...events, endOf(key, good.thread, 3, e3?.event.hash ?? '', [])],
      'event 4 is added',
    ],
    [
      'EXP5',
      'a head that is not the last hash',
      [header, ...events, endOf(key, good.thread, 4, e3?.event.hash ?? '', [])],
      'its head is not the hash of the last event',
    ],
    [
      'EXP5',
      'something after the end',
      [header, ...events, ...receipts, end, end],
      'something follows the end',
    ],
    [
      'EXP6',
      'a signature of other words',
      [header, ...events, ...receipts, { ...end, signature: key.sign('something else') }],
      'the signature is bad',
    ],
    [
      'EXP6',
      'a key that did not sign',
      [header, ...events, ...receipts, { ...end, publicKey: forged.publicKey }],
      'the signature is bad',
    ],
    [
      'EXP6',
      'a key that is none',
      [header, ...events, ...receipts, { ...end, publicKey: 'x' }],
      'the signature is bad',
    ],
    ['EXP6', 'a missing receipt', [header, ...events, end], 'a receipt is changed, missing'],
    [
      'EXP6',
      'a changed receipt',
      [header, ...events, { ...receipt, receipt: { ...receipt?.receipt, events: 4 } }, end],
      'a receipt is changed',
    ],
    ['EXP1', 'no header', [...events, end], 'its first line is no header'],
    ['EXP1', 'two headers', [header, header, ...events, end], 'a second header'],
    ['EXP1', 'nothing', [], 'this is no export'],
  ])('[%s] refuses %s', async (_rule, _what, lines, fault) => {
    const { code, said } = await verdict(lines);
    expect(said).toContain(fault);
    expect(code).toBe(1);
  });

  it('[EXP4] refuses an event that was written anew, a key given twice among its own', async () => {
    const text = ndjson([header, ...events, ...receipts, end]);
    const double = text.replace('"body":{', '"body":{"type":"text","content":"forged"},"body":{');
    for (const lines of [double, text.replace('"seq":2', '"seq": 2')]) {
      using dir = tempDir();
      const file = join(dir.path, 'thread.ndjson');
      writeFileSync(file, lines);
      expect(await verify([file], recordedIo())).toBe(1);
    }
  });

  it('[EXP6] holds the export against the key it was told', async () => {
    const lines = [header, ...events, ...receipts, end];
    expect(await verdict(lines, '--key', key.publicKey)).toMatchObject({ code: 0 });
    const rewritten = signedExport(forged, ['one', 'two', 'THREE'], good.thread);
    const forgedLines = [
      rewritten.header,
      ...rewritten.events,
      ...rewritten.receipts,
      rewritten.end,
    ];
    expect(await verdict(forgedLines)).toMatchObject({ code: 0 });
    const pinned = await verdict(forgedLines, '--key', key.publicKey);
    expect(pinned.code).toBe(1);
    expect(pinned.said).toContain(`signed by ${forged.publicKey}`);
  });

  it('[CLI6] wants one file and a key of the right length', async () => {
    expect(await verify([], recordedIo())).toBe(2);
    expect(await verify(['a', 'b'], recordedIo())).toBe(2);
    expect(await verify(['-', '--key', 'abc'], recordedIo())).toBe(2);
  });
});
