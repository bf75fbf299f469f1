// packages/worker/dist: the worker's modules, and what the engine needs to start it without wrangler.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';

import { root } from '../node24.mjs';

const worker = join(root, 'packages/worker');
const dist = join(worker, 'dist');

export async function buildWorker() {
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  const [modules, options] = await Promise.all([bundle(), workerOptions(), writeMigrations()]);
  await writeJson('miniflare-options.json', { modules, worker: options });
}

/** Split into several modules: as one file the worker fails at start inside zod. */
async function bundle() {
  const { build } = await import('esbuild');
  const result = await build({
    entryPoints: { index: join(worker, 'src/index.ts') },
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2024',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    plugins: [prefixNodeBuiltins],
    metafile: true,
    logLevel: 'error',
    absWorkingDir: root,
  });
  const files = Object.keys(result.metafile.outputs).map((path) =>
    relative(dist, join(root, path)),
  );
  return ['index.js', ...files.filter((file) => file !== 'index.js').sort()];
}

const prefixNodeBuiltins = {
  name: 'prefix-node-builtins',
  setup({ onResolve }) {
    const bare = builtinModules.filter((name) => !name.startsWith('_'));
    onResolve({ filter: new RegExp(`^(${bare.join('|')})$`) }, ({ path }) => ({
      path: `node:${path}`,
      external: true,
    }));
  },
};

async function workerOptions() {
  process.env.WRANGLER_SEND_METRICS = 'false';
  const wrangler = await import('wrangler');
  const config = join(worker, 'wrangler.jsonc');
  const { name } = wrangler.unstable_readConfig({ config }, { hideWarnings: true });
  const { workerOptions: found } = wrangler.unstable_getMiniflareWorkerOptions(config);
  const { modulesRules: _, assets, ...rest } = found;
  const used = Object.entries(rest).filter(([, value]) => !isEmpty(value));
  return {
    name,
    ...Object.fromEntries(used),
    ...(assets && { assets: { ...assets, directory: relative(dist, assets.directory) } }),
  };
}

function isEmpty(value) {
  return typeof value === 'object' && value !== null && Object.values(value).flat().length === 0;
}

async function writeMigrations() {
  const directory = join(worker, 'migrations');
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const migrations = await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8');
      const statements = sql.split('--> statement-breakpoint').map((statement) => statement.trim());
      return { name, statements: statements.filter(Boolean) };
    }),
  );
  await writeJson('migrations.json', migrations);
}

async function writeJson(name, value) {
  await writeFile(join(dist, name), `${JSON.stringify(value, null, 2)}\n`);
}
