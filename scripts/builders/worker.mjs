// packages/worker/dist: the worker's modules, and what the engine needs to start it without wrangler.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';

import { root } from '../node24.mjs';
import { replaceDirectory } from './replace.mjs';

const worker = join(root, 'packages/worker');
const dist = join(worker, 'dist');

export function buildWorker() {
  return replaceDirectory(dist, async (made) => {
    const [modules, options, migrations] = await Promise.all([
      bundle(made),
      workerOptions(),
      readMigrations(),
      bundleHost(made),
    ]);
    await writeJson(join(made, 'migrations.json'), migrations);
    await writeJson(join(made, 'miniflare-options.json'), { modules, worker: options });
  });
}

/** Split into several modules: as one file the worker fails at start inside zod. */
async function bundle(outdir) {
  const { build } = await import('esbuild');
  const result = await build({
    entryPoints: { index: join(worker, 'src/index.ts') },
    outdir,
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
    relative(outdir, join(root, path)),
  );
  return ['index.js', ...files.filter((file) => file !== 'index.js').sort()];
}

/** The worker of the engine that runs code of extensions: one module, started when it is first needed. */
async function bundleHost(outdir) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: { 'extension-host': join(worker, 'src/liteclaw/extensions/host.ts') },
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2024',
    logLevel: 'error',
    absWorkingDir: root,
  });
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

async function readMigrations() {
  const directory = join(worker, 'migrations');
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8');
      const statements = sql.split('--> statement-breakpoint').map((statement) => statement.trim());
      return { name, statements: statements.filter(Boolean) };
    }),
  );
}

async function writeJson(path, value) {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
