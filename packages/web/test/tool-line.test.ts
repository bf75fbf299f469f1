import { describe, expect, it } from 'vitest';
import { toolLine } from '../src/lib/text/tool-line.ts';

describe('[UIB18] the line of a tool', () => {
  it.each([
    [{ args: ['commit', '-m', 'a note'] }, 'commit -m a note'],
    [{ timeout: 10, command: 'npm test\nnpm run bench' }, 'npm test'],
    [{ task: 'look', name: 'reader', model: 'm' }, 'reader'],
    [{ pattern: 'TODO', path: 'src' }, 'TODO'],
    ['apply the patch\nwhole', 'apply the patch'],
    [{ limit: 5 }, ''],
    [{ args: [1, { deep: true }] }, ''],
    [['a'], ''],
    [null, ''],
    [undefined, ''],
  ])('of %j is %j', (input, line) => {
    expect(toolLine(input)).toBe(line);
  });

  it('is bounded', () => {
    expect(toolLine({ command: 'x'.repeat(5000) })).toHaveLength(300);
  });
});
