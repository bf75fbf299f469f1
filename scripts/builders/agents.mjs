// packages/agents/dist: the program that speaks for catalog agents, bundled, since it runs where no packages are.
import { join } from 'node:path';

import { root } from '../node24.mjs';
import { replaceDirectory } from './replace.mjs';

const REQUIRE = `import { createRequire as filepathCreateRequire } from 'node:module';
const require = filepathCreateRequire(import.meta.url);`;

export function buildAgents() {
  return replaceDirectory(join(root, 'packages/agents/dist'), bundle);
}

async function bundle(outdir) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: { agent: join(root, 'packages/agents/src/main.ts') },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    banner: { js: REQUIRE },
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
    absWorkingDir: root,
  });
}
