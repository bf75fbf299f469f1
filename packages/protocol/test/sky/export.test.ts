import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blobRef, GENESIS, readLines, StepId } from '../../src/index.ts';
import {
  readSkyExport,
  SKY_LINE,
  SkyExportFault,
  type SkyExportLine,
  type SkyExportSummary,
  skyLineInput,
  skyRow,
  writeSkyExport,
} from '../../src/sky/index.ts';
import { sha256 } from '../events.ts';
import {
  chained,
  linesOf,
  logOf,
  messages,
  newKey,
  receipts,
  run,
  sample,
  skyEvents,
  thread,
} from './sample.ts';

const key = newKey();
const good = await linesOf(sample(), key);

async function* chunked(bytes: Uint8Array, size = 977): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

type Read = { lines: SkyExportLine[]; summary: SkyExportSummary };

async function read(text: string | Uint8Array): Promise<Read> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const reading = readSkyExport(readLines(chunked(bytes), SKY_LINE));
  const lines: SkyExportLine[] = [];
  for (;;) {
    const { done, value } = await reading.next();
    if (done) return { lines, summary: value };
    lines.push(value);
  }
}

async function faultOf(text: string | Uint8Array): Promise<SkyExportFault | null> {
  try {
    await read(text);
    return null;
  } catch (error) {
    if (error instanceof SkyExportFault) return error;
    throw error;
  }
}

/** Lines of a forger, who computes every hash anew. */
function forged(bodies: readonly { type: string; body: unknown }[]): string[] {
  let previous = GENESIS;
  return bodies.map(({ type, body }, index) => {
    const input = skyLineInput(previous, index + 1, type as 'message', JSON.stringify(body));
    previous = sha256(input);
    return `${JSON.stringify({ n: index + 1, type, body, hash: previous })}\n`;
  });
}
const parsed = good.map((line) => JSON.parse(line) as { type: string; body: unknown });

describe('an export of Sky', () => {
  it('[SKY6] has versions, messages, events, receipts, memory and an end, in this order', async () => {
    const { lines, summary } = await read(good.join(''));
    expect(lines.map(({ type }) => type)).toEqual([
      'sky.export',
      ...messages.map(() => 'message'),
      'event',
      ...skyEvents.map(() => 'event'),
      ...receipts.map(() => 'receipt'),
      'memory',
      'end',
    ]);
    expect(lines[0]?.body).toMatchObject({
      version: 1,
      liteclaw_session_version: 1,
      cf_sky_version: '1.1.0',
      schemas: { message: 1, event: 1, receipt: 1, memory: 1 },
    });
    expect(lines.slice(1, 3).map(({ body }) => body)).toEqual(messages);
    expect(lines.slice(12, 14).map(({ body }) => body)).toEqual(receipts);
    expect(summary).toEqual({
      thread,
      lines: good.length,
      messages: 2,
      events: 9,
      receipts: 2,
      memory: 1,
      head: lines.at(-2)?.hash,
      key: key.publicKey,
    });
  });

  it('[SKY6] may be empty, and may begin after a reset', async () => {
    const none = { messages: [], events: [], receipts: [], memory: null };
    expect(await read((await linesOf(sample(none), key)).join(''))).toMatchObject({
      summary: { lines: 2, events: 0 },
    });
    const after = { seq: 41, hash: sha256('before the reset') };
    const reset = sample({ after, events: logOf(skyEvents, after) });
    expect(await faultOf((await linesOf(reset, key)).join(''))).toBeNull();
    const elsewhere = sample({ events: logOf(skyEvents, after) });
    expect((await faultOf((await linesOf(elsewhere, key)).join('')))?.reason).toContain(
      'event 1 of the log is missing',
    );
  });

  it('[SKY7] shows any byte that is changed, wherever it is', async () => {
    const small = sample({ messages: messages.slice(0, 1), events: logOf(skyEvents.slice(0, 1)) });
    const bytes = new TextEncoder().encode((await linesOf(small, key)).join(''));
    expect(await faultOf(bytes)).toBeNull();
    const seed = Date.now();
    const noise = fc.sample(fc.integer({ min: 1, max: 255 }), { seed, numRuns: bytes.length });
    for (const [at, change] of noise.entries()) {
      const original = bytes[at] ?? 0;
      bytes[at] = original ^ change;
      const fault = await faultOf(bytes);
      bytes[at] = original;
      expect(fault, `byte ${at} ^ ${change}, seed ${seed}`).not.toBeNull();
    }
  });

  it('[SKY7] shows that it is cut, at the end of a line or within one', async () => {
    const bytes = new TextEncoder().encode(good.join(''));
    const last = bytes.length - 1;
    for (const length of [...Array(last).keys()]
      .filter((at) => at % 13 === 0 || bytes[at] === 10)
      .concat(last)) {
      expect(await faultOf(bytes.subarray(0, length)), `${length} bytes`).not.toBeNull();
    }
  });

  it('[SKY7] shows bytes that are added', async () => {
    const bytes = new TextEncoder().encode(good.join(''));
    const place = fc.nat({ max: bytes.length });
    await fc.assert(
      fc.asyncProperty(place, fc.uint8Array({ minLength: 1, maxLength: 3 }), async (at, more) => {
        const longer = new Uint8Array([...bytes.subarray(0, at), ...more, ...bytes.subarray(at)]);
        expect(await faultOf(longer)).not.toBeNull();
      }),
      {
        examples: [
          [0, new Uint8Array([0xef, 0xbb, 0xbf])],
          [bytes.length, new Uint8Array([10])],
        ],
      },
    );
  });

  it('[SKY7] names the line that is removed, repeated or moved', async () => {
    for (let at = 0; at < good.length; at += 1) {
      const without = good.toSpliced(at, 1).join('');
      expect(await faultOf(without), `without line ${at + 1}`).toMatchObject({ line: at + 1 });
      const twice = good.toSpliced(at, 0, good[at] ?? '').join('');
      expect(await faultOf(twice), `line ${at + 1} twice`).toMatchObject({ line: at + 2 });
      for (let to = at + 1; to < good.length; to += 1) {
        const swapped = good
          .with(at, good[to] ?? '')
          .with(to, good[at] ?? '')
          .join('');
        expect(await faultOf(swapped), `${at + 1} and ${to + 1}`).toMatchObject({ line: at + 1 });
      }
    }
  });

  it.each<[what: string, forge: (lines: typeof parsed) => typeof parsed, reason: string]>([
    [
      'a body',
      (all) => all.with(1, { ...part(1), body: { ...messages[0], id: 'x' } }),
      'signature',
    ],
    ['a missing receipt', (all) => all.toSpliced(13, 1), 'the end says 2 receipts'],
    ['an event that is gone', (all) => all.toSpliced(6, 1), 'event 4 of the log is missing'],
    [
      'an event whose body differs',
      (all) => all.with(6, { type: 'event', body: { ...Object(part(6).body), body: {} } }),
      'event 4 of the log is changed',
    ],
    ['a message after events', (all) => all.toSpliced(5, 0, part(1)), 'comes too late'],
    ['two headers', (all) => all.toSpliced(1, 0, part(0)), 'a second header'],
    ['no header', (all) => all.slice(1), 'its first line is no header'],
    ['two memories', (all) => all.toSpliced(14, 0, part(14)), 'a second memory'],
    [
      'a message of another thread',
      (all) =>
        all.with(1, {
          type: 'message',
          body: { ...messages[0], thread_id: 'th_0123456789ABCDEFGHIJcd' },
        }),
      'another thread',
    ],
    [
      'a key that nobody knows',
      (all) => all.with(1, { type: 'message', body: { ...messages[0], admin: true } }),
      'Unrecognized key',
    ],
    [
      'a newer version',
      (all) =>
        all.with(0, { ...part(0), body: { ...Object(part(0).body), cf_sky_version: '1.2.0' } }),
      'newer filepath',
    ],
    [
      'a newer session',
      (all) =>
        all.with(0, { ...part(0), body: { ...Object(part(0).body), liteclaw_session_version: 2 } }),
      'newer filepath',
    ],
    ['no end', (all) => all.slice(0, -1), 'there is no end'],
    ['a type of line that is none', (all) => all.with(1, { type: 'note', body: 1 }), 'no type'],
  ])('[SKY8] is refused when it was hashed anew with %s', async (_what, forge, reason) => {
    const fault = await faultOf(forged(forge(parsed)).join(''));
    expect(fault?.reason).toContain(reason);
  });

  it.each([
    ['event_id', { event: 7 }],
    ['run_id', { run: null }],
    ['step_id', { step: StepId.parse('st_0123456789ABCDEFGHIJcd') }],
  ])(
    '[SKY2] is refused with an event of Sky whose %s is not that of its row',
    async (id, change) => {
      const events = chained(skyEvents.map((event) => ({ ...skyRow(event), ...change })));
      const fault = await faultOf((await linesOf(sample({ events }), key)).join(''));
      expect(fault).toMatchObject({
        line: 5,
        reason: expect.stringContaining(`${id} is not that`),
      });
    },
  );

  it('[SKY2] takes an event whose body is kept by its hash', async () => {
    const body = blobRef('model.completed', thread, sha256('large'), 300_000);
    const events = chained([{ thread, run, step: null, event: 1, source: 'sky', body }]);
    expect(await faultOf((await linesOf(sample({ events }), key)).join(''))).toBeNull();
  });

  it('[SKY6] is written and read a line at a time', async () => {
    let made = 0;
    const endless = function* () {
      for (;;) {
        made += 1;
        yield { ...messages[0], id: `m${made}` } as (typeof messages)[number];
      }
    };
    const source = sample({ messages: endless() });
    const reading = readSkyExport(readLines(writeSkyExport(source, key.sign), SKY_LINE));
    for (let line = 1; line <= 500; line += 1) {
      expect((await reading.next()).done).toBe(false);
      expect(made).toBeLessThanOrEqual(line);
    }
    await reading.return(undefined as never);
  });

  it('[SKY6] has no line that is too long to be read', async () => {
    const large = { type: 'text' as const, text: '完'.repeat(400_000) };
    const big = { ...messages[0], content: [large, large] } as (typeof messages)[number];
    await expect(linesOf(sample({ messages: [big] }), key)).rejects.toThrow('larger than');
  });

  it('[SKY9] is read for ever: one that version 1 wrote', async () => {
    const file = new URL('../../corpus/sky-export/1.jsonl', import.meta.url);
    expect((await read(readFileSync(file))).summary).toMatchObject({ lines: 16, messages: 2 });
  });

  function part(index: number): (typeof parsed)[number] {
    const found = parsed[index];
    if (found === undefined) throw new Error(`no line ${index}`);
    return found;
  }
});
