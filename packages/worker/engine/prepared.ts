import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { EngineError } from './errors.ts';

/** What the build prepared, so that a start neither reads wrangler.jsonc nor imports wrangler. */
const Prepared = z.object({
  /** Module files of the worker, its main module first. */
  modules: z.array(z.string()).min(1),
  /** Options of the worker as wrangler understands wrangler.jsonc; paths are relative to the build. */
  worker: z.looseObject({
    name: z.string(),
    compatibilityDate: z.string(),
    compatibilityFlags: z.array(z.string()).default([]),
    d1Databases: z.record(z.string(), z.object({ id: z.string() })).default({}),
    assets: z.looseObject({ directory: z.string() }).optional(),
  }),
});

const Migrations = z.array(z.object({ name: z.string(), statements: z.array(z.string()) }));

export type Prepared = z.infer<typeof Prepared>;
export type Migration = z.infer<typeof Migrations>[number];

export function readPrepared(dist: string): Prepared {
  return Prepared.parse(readJson(join(dist, 'miniflare-options.json')));
}

export function readMigrations(dist: string): readonly Migration[] {
  return Migrations.parse(readJson(join(dist, 'migrations.json')));
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new EngineError(`The worker is not built (${path} is missing); run npm run build.`, {
      cause: error,
    });
  }
}
