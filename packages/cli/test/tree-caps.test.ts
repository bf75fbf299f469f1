import { expect, it } from 'vitest';

import { treeCaps } from '../src/tree-caps.ts';

it('[TREE3] hands on the caps that are set, and refuses what is no number', () => {
  expect(treeCaps({ FILEPATH_MAX_WORKING: ' 3 ', FILEPATH_MAX_DEPTH: '', HOME: '/' })).toEqual({
    FILEPATH_MAX_WORKING: '3',
  });
  for (const FILEPATH_MAX_AGENTS of ['0', '-1', 'many', '1.5', '100000']) {
    expect(() => treeCaps({ FILEPATH_MAX_AGENTS })).toThrow(
      /FILEPATH_MAX_AGENTS is .+ whole number/,
    );
  }
});
