import type { Row, Sql, SqlValue } from '../../../src/storage/sql.ts';

/** Counts what is done with a database: statements and the rows that they give. */
export function countedSql(real: Sql) {
  let work = 0;
  const queries = new Map<string, SqlValue[]>();
  const note = (query: string, bindings: SqlValue[]): void => {
    work += 1;
    queries.set(query, bindings);
  };
  const sql: Sql = {
    all: <T extends Row>(query: string, ...bindings: SqlValue[]) => {
      note(query, bindings);
      const rows = real.all<T>(query, ...bindings);
      work += rows.length;
      return rows;
    },
    *iterate<T extends Row>(query: string, ...bindings: SqlValue[]) {
      note(query, bindings);
      for (const row of real.iterate<T>(query, ...bindings)) {
        work += 1;
        yield row;
      }
    },
    run: (query, ...bindings) => {
      note(query, bindings);
      real.run(query, ...bindings);
    },
    transaction: (inside) => real.transaction(inside),
  };
  return {
    sql,
    work: () => work,
    reset: () => {
      work = 0;
      queries.clear();
    },
    /** Statements since the last reset that read a whole table or index to do what they do. */
    scans: () =>
      [...queries].flatMap(([query, bindings]) =>
        real
          .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...bindings)
          .filter(({ detail }) => detail.startsWith('SCAN '))
          .map(({ detail }) => `${detail}: ${query}`),
      ),
  };
}
