import type { Node } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import {
  isFiltering,
  matchesOf,
  type StatusFilter,
  waitsForPerson,
  withAncestors,
} from '../src/lib/state/tree-filter.ts';
import { makeNode, mapOf } from './support/nodes.ts';

const nodes = mapOf(
  makeNode('root', null, 0, { status: 'running' }),
  makeNode('plan', 'root', 0, { status: 'done', model: 'Claude-Sonnet' }),
  makeNode('asks', 'plan', 0, { status: 'running', reason: 'waiting for a person' }),
  makeNode('broke', 'root', 1, { blocked: 'the budget is used up' }),
  makeNode('fails', 'root', 2, { status: 'error', reason: 'exit 1' }),
  makeNode('thinks', 'fails', 0, { status: 'thinking' }),
);
const namesOf = (list: readonly Node[]): string[] => list.map(({ name }) => name);
const found = (words: string, status: StatusFilter | null = null): string[] =>
  namesOf(matchesOf(nodes, { words, status }));

describe('a filter of the tree', () => {
  it('[UIT7] finds each word in name, type, model, status or reason', () => {
    expect(found('sonnet')).toEqual(['plan']);
    expect(found('ROOT')).toEqual(['root']);
    expect(found('custom exit')).toEqual(['fails']);
    expect(found('root exit')).toEqual([]);
  });

  it('[UIT7] knows who waits for a person, works, failed or is done', () => {
    expect(found('', 'waiting')).toEqual(['asks', 'broke', 'fails']);
    expect(found('', 'running')).toEqual(['root', 'asks', 'thinks']);
    expect(found('', 'failed')).toEqual(['fails']);
    expect(found('', 'done')).toEqual(['plan']);
    expect(found('asks', 'running')).toEqual(['asks']);
  });

  it('[UIT16] counts as waiting what waits by ATT1, and nothing else', () => {
    const conflict = {
      into: 'parent' as const,
      target: 'root',
      ours: 'a'.repeat(40),
      files: [],
      seq: 1,
    };
    const limit = { reason: 'limit', until: '2026-01-01T00:00:00.000Z', seq: 1 };
    const waits = (part: Partial<Node>): boolean => waitsForPerson(makeNode('one', null, 0, part));
    expect(waits({})).toBe(false);
    expect(waits({ status: 'error', reason: 'gate failed: test' })).toBe(true);
    expect(waits({ conflict: { ...conflict, handed: false } })).toBe(true);
    expect(waits({ conflict: { ...conflict, handed: true } })).toBe(false);
    expect(waits({ limit })).toBe(true);
    expect(waits({ overlaps: [{ node: makeNode('two', null).id, files: ['a'] }] })).toBe(false);
  });

  it('[UIT7] shows what it finds with all that stands above it', () => {
    const [asks] = matchesOf(nodes, { words: 'asks', status: null });
    const shown = withAncestors(nodes, asks ? [asks] : []);
    expect([...shown].map((id) => nodes.get(id)?.name)).toEqual(['asks', 'plan', 'root']);
  });

  it('is none without words or status', () => {
    expect(isFiltering({ words: '  ', status: null })).toBe(false);
    expect(isFiltering({ words: '', status: 'done' })).toBe(true);
  });
});
