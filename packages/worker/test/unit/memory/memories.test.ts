import { MEMORY_LIMITS, newMemoryId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { byAgent, byPerson, DAY, newSight, newStore, REPO, SECRET } from './support.ts';

const contents = (found: readonly { content: string }[]) => found.map(({ content }) => content);

describe('storing', () => {
  it('[MEM1] keeps what was said, where it counts and who said it', () => {
    const { memories, clock } = newStore();
    const sight = newSight();
    const { memory } = memories.store(byAgent(sight, 'Tests need a database.', { tags: ['ci'] }));
    const at = new Date(clock.now).toISOString();
    const { thread, session } = sight;
    expect(memory).toEqual({
      id: expect.stringMatching(/^mem_/),
      scope: 'repository',
      key: REPO,
      content: 'Tests need a database.',
      tags: ['ci'],
      source: { by: 'agent', name: 'amber-fox', session, thread, seq: null },
      createdAt: at,
      updatedAt: at,
      uses: 0,
      lastUsedAt: null,
    });
    expect(memories.store(byPerson('Be brief.')).memory).toMatchObject({
      scope: 'user',
      key: null,
    });
  });

  it('[MEM3] the same again is renewed, in its place only', () => {
    const { memories, clock } = newStore();
    const sight = newSight();
    const first = memories.store(byAgent(sight, 'Use  pnpm,\nnot npm.', { tags: ['a'] }));
    clock.now += DAY;
    const other = newSight();
    const again = memories.store(byAgent(other, ' use pnpm, not NPM. ', { tags: ['b'] }));
    expect(again).toMatchObject({ refreshed: true, dropped: 0 });
    expect(again.memory).toMatchObject({
      id: first.memory.id,
      content: 'Use  pnpm,\nnot npm.',
      tags: ['a', 'b'],
      createdAt: first.memory.createdAt,
      updatedAt: new Date(clock.now).toISOString(),
      source: { thread: other.thread },
    });
    const session = memories.store(byAgent(sight, 'Use pnpm, not npm.', { scope: 'session' }));
    expect(session.refreshed).toBe(false);
    const elsewhere = newSight({ repository: 'example.com/other' });
    expect(memories.store(byAgent(elsewhere, 'Use pnpm, not npm.')).refreshed).toBe(false);
  });

  it('[MEM3] what a person wrote stays theirs, whoever says it again', () => {
    const { memories } = newStore();
    const sight = newSight();
    memories.store(byPerson('Use pnpm.', sight));
    const { memory } = memories.store(byAgent(sight, 'use pnpm.'));
    expect(memory.source).toEqual({ by: 'person' });
    expect(() => memories.forget(sight, memory.id)).toThrow('only they can remove it');
  });

  it('[MEM4] keeps no secret that is known, in words or tags, when stored or changed', () => {
    const { memories, sql } = newStore();
    const sight = newSight();
    const { memory } = memories.store(byAgent(sight, `the key is ${SECRET}`, { tags: [SECRET] }));
    memories.update(memory.id, { content: `it is ${SECRET}!`, tags: [`x ${SECRET}`] });
    const rows = JSON.stringify(sql.all('SELECT * FROM memories'));
    expect(rows).toContain('[redacted]');
    expect(rows).not.toContain(SECRET);
    expect(memories.list({ q: 'canary', limit: 5 }).memories).toEqual([]);
    sql.run('CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, memory_index, row)');
    const words = sql.all<{ term: string }>('SELECT term FROM temp.words').map(({ term }) => term);
    expect(words).toContain('redact');
    expect(words).not.toContain('canari');
  });

  it('[MEM5] what a thread said is stored once, however often it is told, and stays forgotten', () => {
    const { memories } = newStore();
    const sight = newSight();
    const said = [3, 7].map((seq) => ({ ...byAgent(sight, `fact ${seq}`), seq }));
    memories.take(sight.thread, sight.session, said.slice(0, 1));
    memories.take(sight.thread, sight.session, said);
    memories.take(sight.thread, sight.session, said);
    const { memories: all } = memories.list({ limit: 9 });
    expect(contents(all).sort()).toEqual(['fact 3', 'fact 7']);
    for (const { id } of all) memories.forget(sight, id);
    memories.take(sight.thread, sight.session, said);
    expect(memories.list({ limit: 9 }).total).toBe(0);
    const other = newSight();
    memories.take(other.thread, other.session, said);
    expect(memories.list({ limit: 9 }).total).toBe(2);
  });
});

describe('bounds', () => {
  it('[MEM6] beyond the bound of a place the least useful goes, and the answer says so', () => {
    const { memories, clock } = newStore();
    const agents = Array.from({ length: 5 }, () => newSight());
    for (let i = 0; i < MEMORY_LIMITS.perKey; i += 1) {
      const sight = agents[i % 5] ?? newSight();
      memories.store(byAgent(sight, `fact number ${i}`));
      clock.now += 1000;
    }
    const sight = newSight();
    expect(contents(memories.recall(sight, '"fact" number 0', undefined, 1))).toEqual([
      'fact number 0',
    ]);
    const stored = memories.store(byAgent(sight, 'one more'));
    expect(stored).toMatchObject({ refreshed: false, dropped: 1 });
    const left = contents(memories.list({ limit: 1000 }).memories);
    expect(left).toHaveLength(MEMORY_LIMITS.perKey);
    expect(left).toContain('fact number 0');
    expect(left).not.toContain('fact number 1');
    expect(left).toContain('one more');
  });

  it('[MEM6] one agent pushes out its own before those of others', () => {
    const { memories, clock } = newStore();
    const [quiet, loud] = [newSight(), newSight()];
    memories.store(byAgent(quiet, 'worth keeping'));
    for (let i = 0; i < MEMORY_LIMITS.perKey + 50; i += 1) {
      clock.now += 1000;
      memories.store(byAgent(loud, `noise ${i}`));
    }
    expect(memories.list({ limit: 1 }).total).toBe(MEMORY_LIMITS.perAgent + 1);
    expect(contents(memories.recall(quiet, 'worth', undefined, 5))).toEqual(['worth keeping']);
  });

  it('[MEM6] an agent never takes the place of what people wrote', () => {
    const { memories } = newStore();
    const sight = newSight();
    for (let i = 0; i < MEMORY_LIMITS.perKey; i += 1) memories.store(byPerson(`rule ${i}`, sight));
    expect(() => memories.store(byAgent(sight, 'mine'))).toThrow('ask a person');
    memories.take(sight.thread, sight.session, [{ ...byAgent(sight, 'mine'), seq: 1 }]);
    expect(memories.list({ limit: 1 }).total).toBe(MEMORY_LIMITS.perKey);
    expect(memories.store(byPerson('rule x', sight)).dropped).toBe(1);
  });

  it('[MEM6] a user has no more than the bound in all places together', () => {
    const { memories, sql } = newStore();
    const fill = `WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?)
      INSERT INTO memories (id, scope, key, fingerprint, content, tags, author, by_thread, created_at, updated_at, uses)
      SELECT 'mem_' || printf('%022d', n), 'repository', 'r/' || (n % 50), n, 'fact ' || n, '[]', 'agent', 't' || n, n, n, 0 FROM i`;
    sql.run(fill, MEMORY_LIMITS.perUser);
    expect(memories.store(byAgent(newSight(), 'one more')).dropped).toBe(1);
    expect(sql.all('SELECT count(*) AS n, min(n) AS least FROM memories')).toEqual([
      { n: MEMORY_LIMITS.perUser, least: 2 },
    ]);
  });
});

describe('a person', () => {
  it('[MEM10] lists the newest first, by scope, repository and words', () => {
    const { memories, clock } = newStore();
    const [here, there] = [newSight(), newSight({ repository: 'example.com/other' })];
    for (const memory of [
      byAgent(here, 'alpha build'),
      byAgent(there, 'beta build'),
      byAgent(here, 'gamma', { scope: 'session' }),
      byPerson('delta'),
    ]) {
      memories.store(memory);
      clock.now += 1000;
    }
    const listed = (more: object) => contents(memories.list({ limit: 10, ...more }).memories);
    expect(listed({})).toEqual(['delta', 'gamma', 'beta build', 'alpha build']);
    expect(listed({ scope: 'user' })).toEqual(['delta']);
    expect(listed({ repository: REPO })).toEqual(['alpha build']);
    expect(listed({ q: 'builds' }).sort()).toEqual(['alpha build', 'beta build']);
    expect(listed({ q: 'build', repository: 'example.com/other' })).toEqual(['beta build']);
    expect(memories.list({ limit: 1 })).toMatchObject({
      total: 4,
      memories: [{ content: 'delta' }],
    });
    expect(memories.list({ limit: 9 }).memories.every(({ uses }) => uses === 0)).toBe(true);
  });

  it('[MEM10] changes the words, which are the person’s then, and finds them by the new ones only', () => {
    const { memories } = newStore();
    const sight = newSight();
    const { memory } = memories.store(byAgent(sight, 'The port is 3000.', { tags: ['net'] }));
    memories.store(byAgent(sight, 'Another.'));
    expect(memories.update(memory.id, { content: 'The port is 4000.' })).toMatchObject({
      id: memory.id,
      content: 'The port is 4000.',
      tags: ['net'],
      source: { by: 'person' },
    });
    expect(memories.recall(sight, '3000', undefined, 5)).toEqual([]);
    expect(contents(memories.recall(sight, '4000', undefined, 5))).toEqual(['The port is 4000.']);
    expect(() => memories.update(memory.id, { content: ' another. ' })).toThrow(
      'remembered already',
    );
    expect(() => memories.update(newMemoryId(), { content: 'x' })).toThrow('does not exist');
    memories.remove(memory.id);
    expect(memories.recall(sight, '4000', undefined, 5)).toEqual([]);
    expect(() => memories.remove(memory.id)).toThrow('does not exist');
  });
});

describe('forgetting', () => {
  it('[MEM7] an agent sees and forgets what is its own, its session’s, its repository’s and its user’s', () => {
    const { memories } = newStore();
    const me = newSight();
    const sibling = newSight({ session: me.session });
    const stranger = newSight({ repository: null });
    const scopes = ['agent', 'session', 'repository', 'user'] as const;
    const mine = scopes.map((scope) => memories.store(byAgent(me, `of ${scope}`, { scope })));
    const seen = (sight: typeof me) => contents(memories.recall(sight, '', undefined, 9)).sort();
    expect(seen(me)).toEqual(['of agent', 'of repository', 'of session', 'of user']);
    expect(seen(sibling)).toEqual(['of repository', 'of session', 'of user']);
    expect(seen(newSight())).toEqual(['of repository', 'of user']);
    expect(seen(stranger)).toEqual(['of user']);
    const repository = mine[2]?.memory.id ?? newMemoryId();
    expect(() => memories.forget(stranger, repository)).toThrow('does not exist');
    memories.forget(sibling, repository);
    expect(seen(me)).toEqual(['of agent', 'of session', 'of user']);
    expect(contents(memories.recall(me, '', 'session', 9))).toEqual(['of session']);
    expect(memories.recall(stranger, '', 'repository', 9)).toEqual([]);
  });

  it('[MEM11] those of an agent and of a session go with it; what they told of others stays', () => {
    const { memories } = newStore();
    const me = newSight();
    const sibling = newSight({ session: me.session });
    for (const sight of [me, sibling]) {
      for (const scope of ['agent', 'session', 'repository', 'user'] as const) {
        memories.store(byAgent(sight, `${scope} ${sight.thread}`, { scope }));
      }
    }
    memories.forgetAgent(me.thread);
    expect(memories.list({ scope: 'agent', limit: 9 }).total).toBe(1);
    memories.forgetSession(me.session);
    expect(memories.list({ scope: 'agent', limit: 9 }).total).toBe(0);
    expect(memories.list({ scope: 'session', limit: 9 }).total).toBe(0);
    expect(memories.list({ limit: 9 }).total).toBe(4);
  });
});
