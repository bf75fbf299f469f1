// The OpenAPI document of the worker's table of routes, and the schemas that have names.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';

import { root } from '../node24.mjs';

const ENTRY = `
export { openApi } from './src/http/openapi.ts';
export { routes } from './src/routes/index.ts';
export * as protocol from '@filepath/protocol';
export * as sky from '@filepath/protocol/sky';
export { z } from 'zod';
`;

/** Schemas that the document shows by name. */
const NAMED = ['Tree', 'Session', 'Node', 'TreeChange', 'LogEvent', 'NodeCreate', 'AgentConfig'];

export async function readDescription() {
  const { openApi, routes, protocol, sky, z } = await load();
  const schemas = NAMED.map((name) => ({
    name,
    input: schemaOf(z, protocol[name], 'input'),
    output: schemaOf(z, protocol[name], 'output'),
  }));
  return {
    document: openApi(routes),
    schemas,
    errors: protocol.ERRORS,
    catalog: protocol.CATALOG,
    sky: { ...sky, LogEvent: protocol.LogEvent },
    z,
  };
}

function schemaOf(z, schema, io) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

async function load() {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: join(root, 'packages/worker'), loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['cloudflare:*'],
    logLevel: 'error',
  });
  // Inside the repository, so that an import which stays outside of the bundle is found.
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'docs-'));
  try {
    const file = join(folder, 'routes.mjs');
    await writeFile(file, outputFiles[0].contents);
    return await import(pathToFileURL(file).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
