// Writes docs/reference/http-api.md from the worker's table of routes, agent-catalog.md from the catalog, and sky.schema.json
// from the schemas of Sky:
// node scripts/with-node.mjs scripts/docs.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { renderAgentCatalog } from './docs/agent-catalog.mjs';
import { readDescription } from './docs/description.mjs';
import { renderHttpApi } from './docs/http-api.mjs';
import { renderSkySchema } from './docs/sky-schema.mjs';
import { root } from './node24.mjs';

const description = await readDescription();
const pages = {
  'docs/reference/http-api.md': renderHttpApi(description),
  'docs/reference/agent-catalog.md': renderAgentCatalog(description.catalog),
  'docs/reference/sky.schema.json': renderSkySchema(description),
};

for (const [name, content] of Object.entries(pages)) {
  const path = join(root, name);
  const text = await format(content, { ...(await resolveConfig(path)), filepath: path });
  if (!process.argv.includes('--check')) {
    writeFileSync(path, text);
  } else if (readIfThere(path) !== text) {
    console.error(`${name} is stale; run node scripts/with-node.mjs scripts/docs.mjs.`);
    process.exitCode = 1;
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
