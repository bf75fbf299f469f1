import { MEMORY_LIMITS } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchOf, sameness } from '../../../src/user/memory/words.ts';
import { byAgent, byPerson, DAY, newSight, newStore } from './support.ts';

const contents = (found: readonly { content: string }[]) => found.map(({ content }) => content);

describe('ranking', () => {
  it('[MEM12] what has the rarer and more of the words comes first, in any form of the word', () => {
    const { memories } = newStore();
    const sight = newSight();
    for (const content of [
      'The tests take long.',
      'The tests of the parser need fixtures.',
      'Deploys run at night.',
      'Éclair is the name of the café service.',
    ]) {
      memories.store(byAgent(sight, content));
    }
    const asked = (q: string) => contents(memories.recall(sight, q, undefined, 5));
    expect(asked('how do I test the parsers?')[0]).toBe('The tests of the parser need fixtures.');
    expect(asked('deploying')).toEqual(['Deploys run at night.']);
    expect(asked('CAFE eclair')).toEqual(['Éclair is the name of the café service.']);
    expect(asked('nothing alike')).toEqual([]);
    expect(asked('?!')).toEqual([]);
  });

  it('[MEM12] of two that fit alike the newer comes first, and the nearer before the newer', () => {
    const { memories, clock } = newStore();
    const sight = newSight();
    memories.store(byAgent(sight, 'build with make alpha', { scope: 'user' }));
    clock.now += 60 * DAY;
    memories.store(byAgent(sight, 'build with make bravo', { scope: 'user' }));
    const asked = (q: string) => contents(memories.recall(sight, q, undefined, 5));
    expect(asked('build make')).toEqual(['build with make bravo', 'build with make alpha']);
    for (const scope of ['repository', 'session', 'agent'] as const) {
      memories.store(byAgent(sight, `build with make ${scope}`, { scope }));
      clock.now += 1000;
    }
    memories.store(byAgent(sight, 'build with make newest', { scope: 'user' }));
    expect(asked('build make').slice(0, 4)).toEqual([
      'build with make agent',
      'build with make session',
      'build with make repository',
      'build with make newest',
    ]);
  });

  it('[MEM12] without words: near, new and used', () => {
    const { memories, clock } = newStore();
    const sight = newSight();
    memories.store(byAgent(sight, 'used', { scope: 'user' }));
    memories.store(byAgent(sight, 'unused', { scope: 'user' }));
    memories.store(byAgent(sight, 'near'));
    for (let i = 0; i < 4; i += 1) memories.recall(sight, 'used', undefined, 1);
    clock.now += 1000;
    expect(contents(memories.recall(sight, '', undefined, 5))).toEqual(['near', 'used', 'unused']);
  });

  it('[MEM12] has the same answer each time, however things were stored', () => {
    const { memories, sql } = newStore();
    const sight = newSight();
    for (let i = 0; i < 40; i += 1) memories.store(byAgent(sight, `same words ${'x'.repeat(i)}`));
    sql.run(`UPDATE memories SET content = 'same words'`);
    const ids = () => memories.list({ q: 'words', limit: 99 }).memories.map(({ id }) => id);
    const first = ids();
    expect(first).toEqual([...first].sort());
    expect(ids()).toEqual(first);
  });

  it('[MEM8] an agent starts with what fits its task, then with what is near, within the bounds', () => {
    const { memories, clock } = newStore();
    const sight = newSight();
    memories.store(byAgent(sight, 'The migration script is bin/migrate.'));
    for (let i = 0; i < 20; i += 1) {
      clock.now += 1000;
      memories.store(byAgent(sight, `unrelated ${i}`));
    }
    const given = memories.give(sight, 'Write a migration.');
    expect(given).toHaveLength(MEMORY_LIMITS.given);
    expect(given[0]?.content).toBe('The migration script is bin/migrate.');
    expect(given[1]?.content).toBe('unrelated 19');
    expect(given[0]).toMatchObject({ uses: 1, lastUsedAt: new Date(clock.now).toISOString() });

    const large = newSight({ repository: 'example.com/large' });
    for (const letter of ['a', 'b', 'c', 'd']) {
      memories.store(byAgent(large, letter.repeat(3000)));
    }
    memories.store(byAgent(large, 'small'));
    const sizes = memories.give(large, '').map(({ content }) => content.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(
      MEMORY_LIMITS.givenBytes,
    );
    expect(sizes).toContain(5);
    expect(memories.give(newSight({ repository: 'example.com/none' }), 'anything')).toEqual([]);
  });
});

const HOSTILE =
  `" ' * ^ NEAR( ) AND OR NOT content: - + { } ; -- \0 memory_words \uD800 “ １ ½ a b.c % _ \\ \u200F`.split(
    ' ',
  );

describe('a question', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.array(fc.constantFrom(...HOSTILE), { maxLength: 40 }).map((parts) => parts.join(' ')),
  );

  it('[MEM13] of any text neither fails nor is taken for a command', () => {
    const { memories } = newStore();
    const sight = newSight();
    memories.store(byAgent(sight, 'harmless and near or not content'));
    memories.store(byPerson('another'));
    fc.assert(
      fc.property(hostile, (q) => {
        expect(memories.recall(sight, q, undefined, 5).length).toBeLessThanOrEqual(2);
        memories.give(sight, q);
        memories.list({ q, limit: 5 });
        expect(matchOf(q) ?? '').toMatch(/^("[\p{L}\p{N}\p{M}]+"\*?( OR |$))*$/u);
      }),
      { numRuns: 500 },
    );
    expect(memories.list({ limit: 5 }).total).toBe(2);
  });

  it('[MEM13] finds what is stored by any one of its words', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(text, (content) => {
        const { memories } = newStore();
        const sight = newSight();
        memories.store(byAgent(sight, 'another'));
        memories.store(byAgent(sight, content));
        for (const [word] of content.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu)) {
          const found = contents(memories.recall(sight, word, undefined, 5));
          expect(found, JSON.stringify(word)).toContain(content);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('[MEM13] is bounded: a long one costs no more than its first words', () => {
    expect(matchOf('word '.repeat(100_000))).toBe('"word"');
    const many = Array.from({ length: 5000 }, (_, i) => `w${i}`).join(' ');
    expect(matchOf(many)?.split(' OR ')).toHaveLength(64);
    expect(matchOf(' .,;" ')).toBeNull();
  });

  it('[MEM3] two texts are the same if only case, width and white space differ', () => {
    expect(sameness(' Use\tＰＮＰＭ \n now')).toBe(sameness('use pnpm now'));
    expect(sameness('use pnpm')).not.toBe(sameness('use npm'));
  });
});
