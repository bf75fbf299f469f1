import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

it('every rule of SPEC.md is cited by a test', () => {
  const rules = readFileSync(join(ROOT, 'SPEC.md'), 'utf8').matchAll(/\*\*([A-Z]+\d+)\*\*/g);
  const files = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: ROOT, encoding: 'utf8' });
  const tests = files
    .trim()
    .split('\n')
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
  const cited = new Set(tests.match(/\b[A-Z]{2,5}\d+\b/g));
  expect([...rules].map(([, id = '']) => id).filter((id) => !cited.has(id))).toEqual([]);
});
