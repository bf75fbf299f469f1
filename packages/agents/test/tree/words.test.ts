import { newThreadId } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { childrenText } from '../../src/tree/words.ts';

it('[TALK13] names children that a person took away', () => {
  expect(childrenText({ children: [] })).toBe('No children.');
  const [a, b] = [newThreadId(), newThreadId()];
  const gone = [
    { id: a, name: 'dig', how: 'deleted' as const },
    { id: b, name: 'fill', how: 'moved' as const },
  ];
  expect(childrenText({ children: [], gone }).split('\n')).toEqual([
    `${a} "dig": deleted by a person; no result of it will come`,
    expect.stringContaining(`${b} "fill": moved away by a person`),
  ]);
});
