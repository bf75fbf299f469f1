import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AHEAD_BYTES } from '../src/spool/credit.ts';
import { SpoolFeed } from '../src/spool/feed.ts';
import { SpoolReader } from '../src/spool/reader.ts';
import { Redactor } from '../src/spool/redactor.ts';
import { LineSplitter, type RawLine } from '../src/spool/splitter.ts';
import { tempDir } from './setup.ts';

function split(bytes: Buffer, cuts: number[], offset = 0): RawLine[] {
  const splitter = new LineSplitter(offset);
  const lines: RawLine[] = [];
  let from = 0;
  for (const cut of [
    ...cuts.map((c) => c % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ]) {
    lines.push(...splitter.push(Buffer.from(bytes.subarray(from, cut))));
    from = cut;
  }
  const last = splitter.finish();
  return last === null ? lines : [...lines, last];
}

describe('the splitter', () => {
  const bytes = fc
    .array(
      fc.oneof(
        fc.constant('\n'),
        fc.constant('  '),
        fc.string({ unit: 'binary' }),
        fc.uint8Array(),
      ),
    )
    .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part as string))));

  it('finds the same lines however the bytes are cut', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat()), (input, cuts) => {
        expect(split(input, cuts)).toEqual(split(input, []));
      }),
    );
  });

  it('gives every line that is not blank, with the offset of its end', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        const clean = texts.map((text) => text.replaceAll('\n', ''));
        let end = 0;
        const expected = clean.flatMap((text) => {
          end += Buffer.byteLength(text) + 1;
          return text.trim() === '' ? [] : [{ end, text }];
        });
        const input = Buffer.from(clean.map((text) => `${text}\n`).join(''));
        expect(split(input, [])).toEqual(expected);
      }),
    );
  });

  it('[RUN14] counts a line over the limit instead of keeping it', () => {
    const splitter = new LineSplitter(0);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 1600; i++) expect(splitter.push(chunk)).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 2 ** 20);
    const [line] = splitter.push(Buffer.from('\nnext\n'));
    expect(line).toEqual({
      end: 1600 * chunk.length + 1,
      head: 'x'.repeat(3 * LIMITS.rejectedHead),
      reason: 'line longer than 1 MiB',
      bytes: 1600 * chunk.length,
    });
  });

  it('takes a line of exactly the limit, byte by byte at its end', () => {
    const text = 'y'.repeat(LIMITS.line);
    const cuts = [LIMITS.line - 2, LIMITS.line - 1, LIMITS.line];
    expect(split(Buffer.from(`${text}\nz`), cuts)).toEqual([
      { end: LIMITS.line + 1, text },
      { end: LIMITS.line + 2, text: 'z' },
    ]);
  });
});

describe('the reader', () => {
  it('makes frames that join without a gap and keep their bounds', () => {
    const path = join(tempDir(), 'spool');
    const lines = Array.from({ length: 3000 }, (_, i) => `${i} ${'"'.repeat((i * 37) % 3000)}`);
    writeFileSync(path, lines.map((line) => `${line}\n\n`).join(''));
    const reader = new SpoolReader(path, new Redactor([]));
    const got: string[] = [];
    let at = 0;
    for (let frame = reader.next(false); frame !== null; frame = reader.next(false)) {
      const parsed: { from: number; lines: [number, string][] } = JSON.parse(frame.text);
      expect(parsed.from).toBe(at);
      expect(parsed.lines.length).toBeLessThanOrEqual(256);
      expect(Buffer.byteLength(frame.text)).toBeLessThan(LIMITS.frame / 2 + 100);
      at = frame.to;
      got.push(...parsed.lines.map(([, text]) => text));
    }
    expect(got).toEqual(lines);
    appendFileSync(path, 'rest');
    expect(reader.next(false)).toBeNull();
    expect(JSON.parse(reader.next(true)?.text ?? '')).toMatchObject({ lines: [[at + 5, 'rest']] });
    reader.close();
  });
});

describe('the feed', () => {
  it('names its limit when more waits to be stored than may, and holds nobody up for a line that is being written', () => {
    const path = join(tempDir(), 'spool');
    writeFileSync(path, `${'x'.repeat(99)}\n`.repeat(100));
    const feed = new SpoolFeed(path, new Redactor([]), 8192);
    expect(feed.credit()).toBeNull();
    feed.acknowledged(0);
    expect(feed.excess()).toMatch(/were waiting to be stored/);
    feed.acknowledged(5000);
    expect(feed.excess()).toBeNull();
    while (feed.next(false) !== null);
    expect(feed.credit()).toBe(5000 + AHEAD_BYTES);
    appendFileSync(path, 'y'.repeat(100_000));
    expect(feed.credit()).toBe(5000 + AHEAD_BYTES);
    expect(feed.next(false)).toBeNull();
    expect(feed.credit()).toBe(105_000 + AHEAD_BYTES);
    feed.close();
  });
});

describe('the redactor', () => {
  it('finds a secret raw, escaped once and twice, and in base64 at any place', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }),
        fc.string({ maxLength: 5 }),
        fc.string({ maxLength: 5 }),
        (secret, before, after) => {
          const redactor = new Redactor([secret]);
          const json = JSON.stringify({ v: secret });
          const encoded = Buffer.from(before + secret + after).toString('base64');
          const shift = Buffer.byteLength(before) % 3;
          const inner = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]);
          const core = inner.toString('base64').slice(3, Math.floor((inner.length * 8) / 6));
          expect(redactor.redact(`${before}${secret}`)).not.toContain(secret);
          expect(redactor.redact(json)).not.toContain(JSON.stringify(secret).slice(1, -1));
          expect(redactor.redact(JSON.stringify(json))).toContain('[redacted]');
          expect(redactor.redact(encoded)).not.toContain(core);
        },
      ),
    );
  });

  it('leaves short values and other text alone', () => {
    const redactor = new Redactor(['short', 'a.c+d*ef']);
    expect(redactor.redact('short abcdddddef')).toBe('short abcdddddef');
    expect(redactor.redact('xa.c+d*efx')).toBe('x[redacted]x');
  });
});
