// Writes docs/reference/http-api.md from the worker's table of routes:
// node scripts/with-node.mjs scripts/docs.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { readDescription } from './docs/description.mjs';
import { renderHttpApi } from './docs/http-api.mjs';
import { root } from './node24.mjs';

const path = join(root, 'docs/reference/http-api.md');
const text = await format(renderHttpApi(await readDescription()), {
  ...(await resolveConfig(path)),
  parser: 'markdown',
});

if (!process.argv.includes('--check')) {
  writeFileSync(path, text);
} else if (readIfThere(path) !== text) {
  console.error(
    'docs/reference/http-api.md is stale; run node scripts/with-node.mjs scripts/docs.mjs.',
  );
  process.exit(1);
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
