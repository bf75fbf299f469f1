import { newThreadId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import type { Said } from '../../../src/liteclaw/context.ts';
import { SaidTable } from '../../../src/liteclaw/said.ts';
import { CHAT_MIGRATIONS } from '../../../src/liteclaw/schema.ts';
import { SkyLog } from '../../../src/liteclaw/sky-log.ts';
import { migrate } from '../../../src/storage/schema.ts';
import { nodeHashing } from '../../../src/thread/node-hashing.ts';
import { countedSql } from '../support/counted-sql.ts';
import { nodeSql } from '../support/node-sql.ts';

const KEPT = 200;
const now = (): number => 1_700_000_000_000;

const saying = (role: string, id: string, text: string): Said => ({
  id,
  role,
  parts: [{ type: 'text', text }],
});

function newTable(sql = nodeSql()) {
  migrate(sql, CHAT_MIGRATIONS);
  return { sql, table: new SaidTable(sql, now) };
}

const ids = (sql: ReturnType<typeof nodeSql>): unknown[] =>
  sql.all('SELECT id FROM said ORDER BY n').map(({ id }) => id);

describe('[CLAW23] every message', () => {
  it('is kept when the transcript has dropped it', () => {
    const { sql, table } = newTable();
    const all = Array.from({ length: 30 }, (_, at) => saying('user', `m${at}`, `say ${at}`));
    for (let end = 1; end <= all.length; end += 1)
      table.follow(all.slice(Math.max(0, end - 5), end), null);
    expect(ids(sql)).toEqual(all.map(({ id }) => id));
    expect(table.tail(2)).toEqual(all.slice(-2));
  });

  it('is as the transcript has it: changed, taken back, answered anew', () => {
    const { sql, table } = newTable();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => saying('user', id, id));
    if (!a || !b || !c || !d) throw new Error('four are there');
    table.follow([a, b, c], null);
    table.follow([a, saying('user', 'b', 'something else'), d], null);
    expect(ids(sql)).toEqual(['a', 'b', 'd']);
    expect(table.recall('something', 'd')).toContain('something else');
    expect(sql.all('SELECT rowid FROM said_words')).toHaveLength(3);
  });
});

describe('[CLAW23] the run of a message', () => {
  const hello = saying('user', 'hello', 'Hello');
  const message = { id: 'hello', content: 'Hello' };
  const runOf = (sql: ReturnType<typeof nodeSql>) =>
    sql.all('SELECT run, at FROM said WHERE id = ?', 'hello')[0];
  const begin = (sql: ReturnType<typeof nodeSql>, at: number) =>
    new SkyLog({ sql, hashing: nodeHashing, thread: newThreadId(), now: () => at }).begin({
      request: crypto.randomUUID(),
      message,
      modelConfigId: 'm',
    });

  it('is the first that answers it, and its time that of the question', () => {
    const { sql, table } = newTable();
    const { run } = begin(sql, now() - 60_000);
    begin(sql, now() - 30_000);
    table.follow([hello, saying('assistant', 'answer', 'Hello too')], null);
    expect(runOf(sql)).toEqual({ run, at: new Date(now() - 60_000).toISOString() });
  });

  it('is told where the message was kept before it was answered', () => {
    const { sql, table } = newTable();
    table.follow([hello], null);
    const { run } = begin(sql, now());
    table.opened('hello', run);
    table.follow([hello, saying('assistant', 'answer', 'Hello too')], null);
    expect(runOf(sql)).toMatchObject({ run });
  });
});

describe('[CLAW27] what was said long ago', () => {
  it('is found by a question that is not kept yet', () => {
    const { table } = newTable();
    table.follow([saying('user', 'fact', 'My dog is called Biscuit.')], null);
    expect(table.recall('What is my dog called?', 'question')).toContain('Biscuit');
    expect(table.recall('What is my dog called?', 'fact')).toBe('');
  });

  it('is found by the words of a question, within bounds', () => {
    const { table } = newTable();
    const long = 'dog '.repeat(5_000);
    const all = [
      saying('user', 'fact', 'My dog is called Biscuit.'),
      ...Array.from({ length: 20 }, (_, at) => saying('assistant', `n${at}`, `${at} ${long}`)),
      saying('user', 'last', 'What is my dog called?'),
    ];
    table.follow(all, null);
    const found = table.recall('What is my dog called?', 'last');
    expect(found).toContain('2023-11-14 user: My dog is called Biscuit.');
    expect(found.length).toBeLessThanOrEqual(2_000);
    expect(table.recall('What is my dog called?', 'fact')).toBe('');
    expect(table.recall('"NEAR( -- * dog', 'last')).not.toBe('');
    expect(table.recall('…?!', 'last')).toBe('');
    table.clear();
    expect(table.recall('dog', 'last')).toBe('');
  });

  it('makes no turn of a chat of 10,000 messages dearer', () => {
    const { sql, work, reset, scans } = countedSql(nodeSql());
    migrate(sql, CHAT_MIGRATIONS);
    const table = new SaidTable(sql, now);
    const log = new SkyLog({ sql, hashing: nodeHashing, thread: newThreadId(), now });
    let window: Said[] = [];
    const turn = (at: number, kept: number): void => {
      const content = at === 3 ? 'My dog is called Biscuit.' : `Turn ${at}: is it what it was?`;
      const asked = saying('user', `u${at}`, content);
      window = [...window, asked].slice(-kept);
      table.follow(window, log.lastRun);
      const run = log.begin({
        request: `r${at}`,
        message: { id: asked.id, content },
        modelConfigId: 'default',
      });
      table.opened(asked.id, run.run);
      table.recall(content, window[0]?.id);
      run.append([{ type: 'model.completed', step_id: null, output: `Noted: ${content}` }]);
      log.end(run.run, { status: 'completed', output: content, ttftMs: 1 });
      window = [...window, saying('assistant', `a${at}`, `Noted: ${content}`)].slice(-kept);
      table.follow(window, log.lastRun);
    };
    const of = (from: number, to: number, kept = KEPT): number => {
      reset();
      sql.transaction(() => {
        for (let at = from; at < to; at += 1) turn(at, kept);
      });
      return work() / (to - from);
    };
    of(1, 300);
    const early = of(300, 400);
    // What comes between is told in less of the transcript at once: it is only to be there.
    of(400, 4_800, 4);
    of(4_800, 4_900);
    const late = of(4_900, 5_000);
    expect(late).toBeLessThan(early * 1.1);
    // The index of words reads no more of a word than it is told.
    expect(scans().filter((one) => !/said_words|subquery/.test(one))).toEqual([]);
    expect(table.recall('What is my dog called?', window[0]?.id)).toContain('Biscuit');
  });
});
