import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Receipt, ThreadRun } from '../../src/index.ts';
import {
  formatRef,
  hashJson,
  isReadable,
  parseRef,
  sha256Hex,
  SkyEvent,
  skyEventOf,
  SkyMemory,
  skyRow,
} from '../../src/sky/index.ts';
import { json } from '../arbitraries.ts';
import { at, logOf, receipts, run, skyEvents, thread } from './sample.ts';

describe('events of Sky in the log', () => {
  it('[SKY2] are the body of their row, whose head repeats their ids', () => {
    const rows = logOf(skyEvents).slice(1);
    expect(rows.map(({ body }) => body)).toEqual(skyEvents);
    expect(rows.map(skyEventOf)).toEqual(skyEvents.map((event) => ({ ok: true, event })));
  });

  it('[SKY2] are of the source sky and of Sky', () => {
    const [said, row] = logOf(skyEvents);
    if (said === undefined || row === undefined) throw new Error('no rows');
    expect(skyEventOf(said)).toEqual({ ok: false, reason: 'its source is user' });
    expect(skyEventOf({ ...row, body: { type: 'text' } })).toMatchObject({ ok: false });
    expect(skyRow(skyEvents[0] as SkyEvent)).toMatchObject({ source: 'sky', thread });
  });

  it('[SKY1] are refused when they nest too deep', () => {
    const call = skyEvents[3];
    let args: unknown = 1;
    for (let level = 0; level < 200; level += 1) args = [args];
    expect(SkyEvent.safeParse({ ...call, args }).error?.issues[0]?.message).toContain('nested');
  });
});

describe('refs', () => {
  it('[SKY4] have one spelling, from which bucket, key and hash are read', () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((s) => s.replaceAll('/', 'x'));
    const key = fc
      .array(
        segment.filter((s) => !['.', '..'].includes(s)),
        { minLength: 1, maxLength: 4 },
      )
      .map((segments) => segments.join('/'));
    fc.assert(
      fc.property(key, (name) => {
        const place = { bucket: 'blobs-1', key: name, sha256: 'c'.repeat(64) };
        expect(parseRef(formatRef(place))).toEqual(place);
      }),
    );
  });

  it.each([
    'r2://blobs/a',
    `r2://b/a#sha256=${'a'.repeat(64)}`,
    `r2://blobs/#sha256=${'a'.repeat(64)}`,
    `r2://blobs//a#sha256=${'a'.repeat(64)}`,
    `r2://blobs/a/../b#sha256=${'a'.repeat(64)}`,
    `r2://blobs/%2e%2e/b#sha256=${'a'.repeat(64)}`,
    `r2://blobs/%zz#sha256=${'a'.repeat(64)}`,
    `r2://blobs/a?x#sha256=${'a'.repeat(64)}`,
    `r2://blobs/a#sha256=${'A'.repeat(64)}`,
    `https://blobs/a#sha256=${'a'.repeat(64)}`,
    `r2://blobs/${'a'.repeat(5000)}#sha256=${'a'.repeat(64)}`,
  ])('[SKY4] are nothing else: %s', (text) => {
    expect(parseRef(text)).toBeNull();
  });
});

describe('hashes', () => {
  it('[SKY6] are those of Node, made by web crypto', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const text = JSON.stringify(value);
        const expected = createHash('sha256').update(text).digest('hex');
        expect(await sha256Hex(text)).toBe(expected);
        expect(await hashJson(value)).toBe(expected);
      }),
    );
  });
});

describe('versions', () => {
  it('[SKY9] let a receipt grow, for a page that is older than the worker', () => {
    const receipt = receipts.find(({ type }) => type === 'receipt.run');
    const told = { run, number: 1, from: 1, to: 9, receipt: { ...receipt, later: true } };
    expect(ThreadRun.parse(told)).toEqual({ ...told, receipt });
    expect(Receipt.safeParse(told.receipt).success).toBe(false);
  });

  it.each([
    ['1.0.0', true],
    ['1.1.0', true],
    ['1.1.9', true],
    ['0.9.0', true],
    ['1.2.0', false],
    ['2.0.0', false],
    ['1.10.0', false],
  ])('[SKY9] of %s: read is %s', (version, read) => {
    expect(isReadable(version)).toBe(read);
  });
});

describe('what a chat remembers', () => {
  const memory = {
    thread_id: thread,
    schema_version: 1,
    summary: 's',
    through: null,
    updated_at: at,
  };

  it('[SKY6] is a summary with the last message that it covers', () => {
    expect(SkyMemory.parse(memory)).toEqual(memory);
    expect(SkyMemory.parse({ ...memory, through: 'm7' })).toEqual({ ...memory, through: 'm7' });
  });

  it.each([
    ['a summary without end', { summary: 'x'.repeat(70_000) }],
    ['a version that is not known', { schema_version: 2 }],
    ['a key that nobody knows', { mood: 'good' }],
  ])('[SKY6] is refused with %s', (_what, change) => {
    expect(SkyMemory.safeParse({ ...memory, ...change }).success).toBe(false);
  });
});
