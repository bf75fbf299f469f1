import { ChainReader, decodeLogEvent, newThreadId } from '@filepath/protocol';
import { hashJson, Receipt, skyEventOf, SkyOrder } from '@filepath/protocol/sky';
import { describe, expect, it } from 'vitest';
import { ModelSteps } from '../../../src/liteclaw/model-steps.ts';
import { CHAT_MIGRATIONS } from '../../../src/liteclaw/schema.ts';
import { SkyLog } from '../../../src/liteclaw/sky-log.ts';
import { migrate } from '../../../src/storage/schema.ts';
import { nodeHashing } from '../../../src/thread/node-hashing.ts';
import { nodeSql } from '../support/node-sql.ts';

function newLog() {
  const sql = nodeSql();
  migrate(sql, CHAT_MIGRATIONS);
  let at = 1_700_000_000_000;
  const now = (): number => (at += 10);
  const thread = newThreadId();
  const log = new SkyLog({ sql, hashing: nodeHashing, thread, now });
  const rows = () =>
    sql
      .all<{ json: string }>('SELECT json FROM log ORDER BY seq')
      .map(({ json }) => decodeLogEvent(json));
  const events = () =>
    rows().flatMap((row) => {
      if (row.source !== 'sky') return [];
      const reading = skyEventOf(row);
      if (!reading.ok || !reading.event) throw new Error('no event of Sky');
      return [reading.event];
    });
  const receipts = () =>
    sql
      .all<{ body: string }>('SELECT body FROM receipts ORDER BY id')
      .map(({ body }) => Receipt.parse(JSON.parse(body)));
  return { sql, log, now, rows, events, receipts, sleep: (ms: number) => (at += ms) };
}

const message = { id: 'm1', content: 'Hello' };
const asked = { request: 'r1', message, modelConfigId: 'default' };
const done = { status: 'completed', output: 'Hi.', ttftMs: 5 } as const;

describe('[CLAW20] the log of a chat', () => {
  it('has a run of every turn, chained, in order, with its receipt', async () => {
    const { log, rows, events, receipts } = newLog();
    const run = log.begin(asked);
    log.end(run.run, done);
    log.end(run.run, done);
    expect(rows().map(({ source, seq, event }) => [source, seq, event])).toEqual([
      ['user', 1, 1],
      ['sky', 2, 2],
      ['sky', 3, 3],
    ]);
    expect(rows()[0]?.body).toEqual({ type: 'message', ...message });
    expect(events().map(({ type }) => type)).toEqual(['run.started', 'run.completed']);
    const chain = new ChainReader(nodeHashing.sha256);
    for (const row of rows()) expect(chain.next(row)).toBeNull();
    expect(receipts()).toEqual([
      expect.objectContaining({
        run_id: run.run,
        status: 'completed',
        input_hash: await hashJson('Hello'),
        output_hash: await hashJson('Hi.'),
        ended_by: 3,
        events: 3,
        ttft_ms: 5,
      }),
    ]);
  });

  it('ends one run before it opens another, and hears nothing more of it', () => {
    const { log, events, receipts } = newLog();
    const first = log.begin(asked);
    const second = log.begin({ ...asked, request: 'r2', message: { id: 'm2', content: 'No' } });
    first.append([{ type: 'model.delta', step_id: null, delta: 'late' }]);
    log.end(first.run, done);
    log.end(second.run, done);
    const order = new SkyOrder();
    for (const event of events()) expect(order.next(event)).toBeNull();
    expect(events().map(({ type }) => type)).toEqual([
      'run.started',
      'run.error',
      'run.started',
      'run.completed',
    ]);
    expect(receipts().map(({ status }) => status)).toEqual(['superseded', 'completed']);
  });

  it('has a message once that is answered again, and again where it was changed', () => {
    const { log, rows } = newLog();
    for (const content of ['Hello', 'Hello', 'Hello you'])
      log.end(log.begin({ ...asked, message: { id: 'm1', content } }).run, done);
    const said = rows().filter(({ source }) => source === 'user');
    expect(said.map(({ body }) => body)).toEqual([
      { type: 'message', ...message },
      { type: 'message', id: 'm1', content: 'Hello you' },
    ]);
  });

  it('stores a batch whole or not at all', () => {
    const { log, rows } = newLog();
    const run = log.begin(asked);
    const before = rows().length;
    const good = { type: 'model.delta', step_id: null, delta: 'a' } as const;
    const tooLarge = { ...good, delta: 'x'.repeat(300 * 1024) };
    expect(() => run.append([good, tooLarge])).toThrow(RangeError);
    expect(rows()).toHaveLength(before);
    run.append([good]);
    expect(rows().at(-1)).toMatchObject({ seq: before + 1, event: before + 1 });
  });
});

describe('[CLAW21] what a model writes', () => {
  it('is a few rows a second, and whole when a step ends', () => {
    const { log, now, sleep, events } = newLog();
    const run = log.begin(asked);
    const steps = new ModelSteps(run, now);
    steps.begin();
    const words = Array.from({ length: 300 }, (_, at) => `w${at} `);
    for (const word of words) steps.delta(word);
    sleep(1000);
    steps.delta('end');
    steps.complete();
    const said = events();
    const deltas = said.flatMap((event) => (event.type === 'model.delta' ? [event.delta] : []));
    // Each look at the clock takes ten milliseconds here: three seconds went by.
    expect(deltas.length).toBeGreaterThan(5);
    expect(deltas.length).toBeLessThan(20);
    expect(deltas.join('')).toBe(`${words.join('')}end`);
    expect(said.at(-1)).toMatchObject({ type: 'model.completed', output: `${words.join('')}end` });
    expect(new Set(said.slice(1).map(({ step_id }) => step_id)).size).toBe(1);
  });

  it('is kept as far as it came where a step breaks off', () => {
    const { log, now, events } = newLog();
    const steps = new ModelSteps(log.begin(asked), now);
    steps.begin();
    steps.delta('half');
    steps.cut();
    expect(events().map(({ type }) => type)).toEqual(['run.started', 'model.delta']);
    expect(steps.output).toBe('half');
  });
});

describe('[CLAW22] a reset', () => {
  it('drops the rows; the numbers go on after the last one, which it names', () => {
    const { log, rows, receipts } = newLog();
    log.end(log.begin(asked).run, done);
    const { head } = log.place;
    log.reset();
    expect(rows()).toEqual([
      expect.objectContaining({ seq: head.seq + 1, body: { type: 'reset', after: head } }),
    ]);
    expect(receipts()).toEqual([]);
    expect(log.place.after).toEqual(head);
    log.end(log.begin(asked).run, done);
    expect(rows().map(({ seq }) => seq)).toEqual([4, 5, 6, 7]);
  });

  it('of a chat that said nothing writes nothing', () => {
    const { log, rows } = newLog();
    log.reset();
    expect(rows()).toEqual([]);
  });
});
