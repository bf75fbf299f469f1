/** A row of `EXPLAIN QUERY PLAN`. */
export type PlanRow = { id: number; parent: number; detail: string };

export type PlanSizes = {
  /** Rows of the largest table: a plan names tables by their aliases. */
  readonly largest: number;
  /** The most rows that have the same values in these columns of an index. */
  readonly alike: (index: string, columns: readonly string[]) => number;
};

/** Rows that a function such as json_each may make of one value. */
const LISTED = 50_000;
/** Aliases are the query's own words: only those that cannot look like something else are read. */
const BY_ROWID = /^SEARCH \w+ USING INTEGER PRIMARY KEY \(rowid=\?\)(?: LEFT-JOIN)?$/;
const BY_INDEX = /^SEARCH \w+ USING (?:COVERING )?INDEX (\w+) \(([\w=? ]+)\)(?: LEFT-JOIN)?$/;
const CONSTANTS = /^SCAN (\d+)(?: CONSTANT ROWS|-ROW VALUES CLAUSE)$/;
const RUN_ONCE = /^(?:MATERIALIZE|CO-ROUTINE|LIST SUBQUERY|SCALAR SUBQUERY) /;
const COMPOUND = /^(?:UNION|EXCEPT|INTERSECT|MERGE)\b/;

/**
 * How many rows a query may come to look at, by its plan: loops that are nested multiply, and what is made in passing is
 * as large as the loops that make it. A recursion has no end that could be seen.
 */
export function workOf(plan: readonly PlanRow[], sql: string, sizes: PlanSizes): number {
  const lists = /\bin\b/i.test(sql);
  const constants = !/constant\s+row/i.test(sql);
  /** Rows of the largest thing that was made in passing so far. */
  let made = 1;
  const any = (): number => Math.max(1, sizes.largest, made);
  const sizeOf = (detail: string): number => {
    if (detail.startsWith('SCAN ')) {
      if (constants && detail === 'SCAN CONSTANT ROW') return 1;
      const rows = Number(CONSTANTS.exec(detail)?.[1] ?? 1);
      return Math.max(any(), rows, detail.includes('VIRTUAL TABLE') ? LISTED : 1);
    }
    if (!detail.startsWith('SEARCH ')) return 1;
    if (lists) return any();
    if (BY_ROWID.test(detail)) return 1;
    const [, index = '', terms = ''] = BY_INDEX.exec(detail) ?? [];
    const columns = terms.split(' AND ').map((term) => /^(\w+)=\?$/.exec(term)?.[1] ?? null);
    return columns.includes(null)
      ? any()
      : Math.min(any(), sizes.alike(index, columns as string[]));
  };
  const below = (parent: number): number => {
    let nested = 1;
    let once = 0;
    let terms = 1;
    for (const { id, detail } of plan.filter((row) => row.parent === parent)) {
      if (detail.includes('RECURSIVE')) return Number.POSITIVE_INFINITY;
      if (COMPOUND.test(detail)) terms += 1;
      nested *= sizeOf(detail);
      const inner = below(id);
      if (RUN_ONCE.test(detail)) {
        once += inner;
        made = Math.max(made, inner);
      } else nested *= inner;
    }
    return nested * terms + once;
  };
  return below(0);
}
