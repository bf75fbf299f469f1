import { expect, it } from 'vitest';
import { type AgentState, completionOf } from '../src/index.ts';

const node = (id: string, parentId: string | null, status: AgentState = 'idle') => ({
  id,
  parentId,
  status,
});

it('[TREE6] a node counts the leaves below it, a leaf itself', () => {
  const counts = completionOf([
    node('root', null, 'done'),
    node('a', 'root', 'running'),
    node('a1', 'a', 'done'),
    node('a2', 'a', 'error'),
    node('b', 'root', 'done'),
  ]);
  expect(Object.fromEntries(counts)).toEqual({
    root: { done: 2, total: 3 },
    a: { done: 1, total: 2 },
    a1: { done: 1, total: 1 },
    a2: { done: 0, total: 1 },
    b: { done: 1, total: 1 },
  });
});

it('[TREE6] children may come before their parents', () => {
  expect(completionOf([node('a', 'root', 'done'), node('root', null)]).get('root')).toEqual({
    done: 1,
    total: 1,
  });
});

it('[TREE6] a cycle in foreign data ends', () => {
  expect(completionOf([node('a', 'b'), node('b', 'a')]).size).toBe(2);
});
