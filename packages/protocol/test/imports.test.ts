import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SPECIFIER =
  /^\s*(?:import|export)\b[^;]*?\bfrom\s+'([^']+)'|\bimport\(\s*'([^']+)'|^import\s+'([^']+)'/gm;

it.each(['index.ts', 'sky/index.ts'])('the entry %s reaches no module but zod', (entry) => {
  const seen = new Set<string>();
  const outside = new Set<string>();
  const visit = (url: URL): void => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    for (const match of readFileSync(fileURLToPath(url), 'utf8').matchAll(SPECIFIER)) {
      const specifier = match[1] ?? match[2] ?? match[3] ?? '';
      if (specifier.startsWith('.')) visit(new URL(specifier, url));
      else outside.add(specifier);
    }
  };
  visit(new URL(`../src/${entry}`, import.meta.url));
  expect([...outside]).toEqual(['zod']);
  expect(seen.size).toBeGreaterThan(20);
});
