import { expect, it } from 'vitest';
import { cleanName, NodeName } from '../src/index.ts';

it.each([
  ['dig', 'dig'],
  ['  a\nb ', 'a b'],
  ['x\u202Eevil\u001B[31m', 'xevil [31m'],
  ['half \uD83D', 'half'],
  [`${'x'.repeat(119)}\u{1F600}`, 'x'.repeat(119)],
  [`${'x'.repeat(118)}\u{1F600}y`, `${'x'.repeat(118)}\u{1F600}`],
  ['', null],
  [' \n\t', null],
  ['\u200B\u2060\uFEFF\u200D', null],
  ['\u202E\u2066', null],
])('[TREE17] the name of a child by an agent keeps to the rule of names: %j', (said, name) => {
  expect(cleanName(said)).toBe(name);
  if (name !== null) expect(NodeName.parse(name)).toBe(name);
  else expect(NodeName.safeParse(said).success).toBe(false);
});
