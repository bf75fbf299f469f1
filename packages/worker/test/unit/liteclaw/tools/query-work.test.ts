import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PlanRow, workOf } from '../../../../src/liteclaw/tools/query-work.ts';

const ROWS = 3_000;
const MOST = 5_000_000;
const database = new DatabaseSync(':memory:');

beforeAll(() => {
  database.exec(`
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT UNIQUE, kind INTEGER);
    CREATE TABLE visit (person INTEGER, at TEXT);
    CREATE INDEX person_kind ON person (kind);
    CREATE INDEX visit_person ON visit (person);
    WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${ROWS})
      INSERT INTO person SELECT x, 'p' || x, 1 FROM n;
    INSERT INTO visit SELECT id, 'monday' FROM person;
  `);
});

function work(sql: string, largest = ROWS): number {
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as PlanRow[];
  return workOf(plan, sql, {
    largest,
    alike: (index) => (index === 'person_kind' ? ROWS : 1),
  });
}

const values = (count: number): string =>
  Array.from({ length: count }, (_, at) => `(${at})`).join();
/** Each is every pair of the one before. */
const doubled = Array.from(
  { length: 6 },
  (_, at) => `c${at + 1} AS MATERIALIZED (SELECT 1 AS x FROM c${at} a, c${at} b)`,
).join();

describe('[TOOL7] how much a query looks at', () => {
  it.each([
    ['one by its key', 'SELECT * FROM person WHERE id = 7'],
    ['one table', 'SELECT count(*) FROM person'],
    ['a join by an index', 'SELECT count(*) FROM person p JOIN visit v ON v.person = p.id'],
    ['a join by keys', 'SELECT count(*) FROM visit v JOIN person p ON p.id = v.person'],
    [
      'a join by a unique name',
      "SELECT count(*) FROM visit v JOIN person p ON p.name = 'p' || v.person",
    ],
    ['what another table lists', 'DELETE FROM person WHERE id IN (SELECT person FROM visit)'],
    [
      'groups',
      'WITH g AS (SELECT person, count(*) n FROM visit GROUP BY person) SELECT max(n) FROM g',
    ],
    ['many new rows', `INSERT INTO visit (person) VALUES ${values(200)}`],
  ])('is bounded for %s', (_, sql) => {
    expect(work(sql)).toBeLessThanOrEqual(MOST);
  });

  it.each([
    ['every pair', 'SELECT count(*) FROM person a, person b'],
    ['an index of one value', 'SELECT count(*) FROM person a JOIN person b ON a.kind = b.kind'],
    ['an index that is made for it', 'SELECT count(*) FROM visit a JOIN visit b ON a.at = b.at'],
    ['a range for each', 'SELECT count(*) FROM person a JOIN person b ON b.id > a.id'],
    [
      'lists of keys',
      `SELECT count(*) FROM person a, person b WHERE a.id IN (${values(500)}) AND b.id IN (${values(500)})`,
    ],
    ['values', `WITH v(x) AS (VALUES ${values(300)}) SELECT count(*) FROM v a, v b, v c`],
    [
      'values in place',
      `SELECT count(*) FROM (VALUES ${values(300)}) a, (VALUES ${values(300)}) b`,
    ],
    [
      'a subquery for each row',
      'SELECT (SELECT count(*) FROM visit v WHERE v.at < p.name) FROM person p',
    ],
    [
      'a name like a constant',
      'SELECT count(*) FROM person "CONSTANT ROW", person "2 CONSTANT ROWS"',
    ],
    [
      'a name like a key',
      'SELECT count(*) FROM person a, visit "x USING INTEGER PRIMARY KEY (rowid=?)", visit c WHERE c.at = "x USING INTEGER PRIMARY KEY (rowid=?)".at',
    ],
    ['a recursion', 'WITH n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n'],
  ])('is too much for %s', (_, sql) => {
    expect(work(sql)).toBeGreaterThan(MOST);
  });

  it.each([
    ['values', `WITH v(x) AS (VALUES ${values(300)}) SELECT count(*) FROM v a, v b, v c`],
    ['values in place', `SELECT 1 FROM (VALUES ${values(3000)}) a, (VALUES ${values(3000)}) b`],
    [
      'what is made of itself',
      `WITH c0(x) AS (VALUES (1), (2)), ${doubled} SELECT count(*) FROM c6`,
    ],
    ['unions', `WITH c0(x) AS (SELECT 1 UNION SELECT 2), ${doubled} SELECT count(*) FROM c6`],
    [
      'all of unions',
      `WITH c0(x) AS (SELECT 1 UNION ALL SELECT 2), ${doubled} SELECT count(*) FROM c6`,
    ],
  ])('is too much for %s where there are no tables', (_, sql) => {
    expect(work(sql, 0)).toBeGreaterThan(MOST);
  });
});
