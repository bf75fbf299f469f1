import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const spec = readFileSync(join(ROOT, 'SPEC.md'), 'utf8');
const files = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: ROOT, encoding: 'utf8' });
const tests = files
  .trim()
  .split('\n')
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');

it('every rule of SPEC.md is cited by a test', () => {
  const rules = spec.matchAll(/\*\*([A-Z]+\d+)\*\*/g);
  const cited = new Set(tests.match(/\b[A-Z]{2,5}\d+\b/g));
  expect([...rules].map(([, id = '']) => id).filter((id) => !cited.has(id))).toEqual([]);
});

it('every rule that a test cites is in SPEC.md', () => {
  const rules = new Set(spec.match(/(?<=\*\*|^\| )[A-Z]+\d+\b/gm));
  // One letter is a threat or a fault.
  const cited = new Set(tests.match(/(?<=\[)[A-Z]{2,5}\d+(?=\])/g));
  expect([...cited].filter((id) => !rules.has(id))).toEqual([]);
});
