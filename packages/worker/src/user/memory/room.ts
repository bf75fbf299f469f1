import { FilepathError, MEMORY_LIMITS } from '@filepath/protocol';
import { first, type Sql, type SqlValue } from '../../storage/sql.ts';
import type { NewMemory } from './memory-row.ts';

/** A use keeps a memory as long as this much less age would. */
const USE_MS = 24 * 3_600_000;
const MOST_USES = 60;

/** The least useful first: those of agents before those of people, then what was neither renewed nor used for longest. */
const LEAST_USEFUL = `author = 'person', max(updated_at, ifnull(used_at, 0)) + min(uses, ${MOST_USES}) * ${USE_MS}, n`;

type Bound = { where: string; bindings: SqlValue[]; most: number };

/** Makes room for one more, and says how many went for it. An agent's never takes the place of a person's. */
export function makeRoom(sql: Sql, { scope, key, source }: NewMemory): number {
  const here: Bound = {
    where: 'scope = ? AND key = ?',
    bindings: [scope, key ?? ''],
    most: MEMORY_LIMITS.perKey,
  };
  const all: Bound = { where: 'TRUE', bindings: [], most: MEMORY_LIMITS.perUser };
  if (source.by === 'person') return drop(sql, here) + drop(sql, all);
  for (const bound of [here, all]) {
    const ofPeople = { ...bound, where: `${bound.where} AND author = 'person'` };
    if (count(sql, ofPeople) >= bound.most) throw full(bound.most);
  }
  // One agent cannot push out what all others have stored.
  const own: Bound = {
    where: `${here.where} AND by_thread = ?`,
    bindings: [...here.bindings, source.thread],
    most: MEMORY_LIMITS.perAgent,
  };
  return drop(sql, own) + drop(sql, here) + drop(sql, all);
}

function drop(sql: Sql, bound: Bound): number {
  const beyond = count(sql, bound) + 1 - bound.most;
  if (beyond <= 0) return 0;
  sql.run(
    `DELETE FROM memories WHERE n IN (SELECT n FROM memories WHERE ${bound.where} ORDER BY ${LEAST_USEFUL} LIMIT ?)`,
    ...bound.bindings,
    beyond,
  );
  return beyond;
}

function count(sql: Sql, { where, bindings }: Bound): number {
  const query = `SELECT count(*) AS n FROM memories WHERE ${where}`;
  return first<{ n: number }>(sql, query, ...bindings)?.n ?? 0;
}

const full = (most: number): FilepathError =>
  new FilepathError(
    'cap_reached',
    `People have stored ${most} memories here, and there is no room for more: ask a person to remove some.`,
  );
