// packages/cli/dist: the command line, bundled, so that it starts quickly and on any supported Node.
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

import { root } from '../node24.mjs';
import { replaceDirectory } from './replace.mjs';

const dist = join(root, 'packages/cli/dist');

const REQUIRE = `import { createRequire as filepathCreateRequire } from 'node:module';
const require = filepathCreateRequire(import.meta.url);`;

export function buildCli() {
  return replaceDirectory(dist, bundle);
}

async function bundle(outdir) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: {
      filepath: join(root, 'packages/cli/src/main.ts'),
      // The parent of an agent in a container is a program of its own.
      'container-shim': join(root, 'packages/runner/src/container/container-shim.ts'),
    },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    external: ['miniflare', 'workerd', 'bufferutil', 'utf-8-validate'],
    banner: { js: REQUIRE },
    plugins: [keepSourceUrls],
    logLevel: 'error',
    absWorkingDir: root,
  });
}

/** A source file that looks beside itself, with `import.meta.url`, still does so after bundling. */
const keepSourceUrls = {
  name: 'keep-source-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!path.startsWith(join(root, 'packages'))) return null;
      const source = await readFile(path, 'utf8');
      const url = relative(dist, path).split(sep).join('/');
      const contents = source.replaceAll(
        'import.meta.url',
        `new URL(${JSON.stringify(url)}, import.meta.url).href`,
      );
      return { contents, loader: 'ts' };
    });
  },
};
