import { repositoryKey } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../../src/storage/schema.ts';
import { Memories } from '../../../src/user/memory/memories.ts';
import { USER_MIGRATIONS } from '../../../src/user/schema.ts';
import { nodeSql } from '../support/node-sql.ts';
import { byAgent, newSight } from './support.ts';

/** A store that was made before keys were written as they are now, with these contents by key. */
function upgraded(rows: readonly (readonly [key: string, content: string])[]) {
  const sql = nodeSql();
  migrate(sql, USER_MIGRATIONS.slice(0, 3));
  for (const [n, [key, content]] of rows.entries()) {
    sql.run(
      `INSERT INTO memories (id, scope, key, fingerprint, content, tags, author, created_at, updated_at, uses)
       VALUES (?, 'repository', ?, ?, ?, '[]', 'person', 0, 0, 0)`,
      `mem_${`${n}`.padStart(22, '0')}`,
      key,
      content,
      content,
    );
  }
  migrate(sql, USER_MIGRATIONS);
  const memories = new Memories({ sql, now: () => 0, sha256: (t) => t, redact: (t) => t });
  const seen = (address: string): string[] => {
    const repository = repositoryKey(address);
    const recalled = memories.recall(newSight({ repository }), '', undefined, 99);
    const listed = memories.list({ repository, limit: 99 }).memories;
    const contents = listed.map(({ content }) => content).toSorted();
    expect(recalled.map(({ content }) => content).toSorted()).toEqual(contents);
    return contents;
  };
  return { memories, seen };
}

describe('memories of a repository that were stored under another key', () => {
  it('[MEM2] are found where the case of the path does not count, each once', () => {
    const { seen } = upgraded([
      ['github.com/Acme/Shop', 'a'],
      ['github.com/acme/shop', 'a'],
      ['github.com/acme/Shop', 'b'],
      ['example.com/Acme/Shop', 'c'],
    ]);
    expect(seen('git@github.com:ACME/shop.git')).toEqual(['a', 'b']);
    expect(seen('https://example.com/Acme/Shop')).toEqual(['c']);
    expect(seen('https://example.com/acme/shop')).toEqual([]);
  });

  it('[MEM2] are found by any path to the same directory, each once', () => {
    const { seen } = upgraded([
      ['/srv//git/shop', 'a'],
      ['/srv/./git/shop', 'b'],
      ['/srv/git/shop', 'b'],
      ['/srv/git/shop/.', 'c'],
    ]);
    expect(seen('/srv/git/./shop/')).toEqual(['a', 'b', 'c']);
  });

  it('[MEM2] are found under a path with .git and without; what is stored now is of one of them', () => {
    const { memories, seen } = upgraded([['/srv/git/shop', 'old']]);
    for (const content of ['/srv/git/shop', '/srv/git/shop.git']) {
      memories.store(byAgent(newSight({ repository: repositoryKey(content) }), content));
    }
    expect(seen('/srv/git/shop')).toEqual(['/srv/git/shop', 'old']);
    expect(seen('/srv/git/shop.git')).toEqual(['/srv/git/shop.git', 'old']);
  });
});
