// What is built from what, and whether it is stale. Plain JavaScript for Node 20, and quick: every start asks.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './node24.mjs';

const LEFT_OUT = new Set(['node_modules', 'build', 'dist', '.svelte-kit', 'test', '.wrangler']);
const ALWAYS = [
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/build-steps.mjs',
  'scripts/builders',
];

export const steps = {
  worker: {
    inputs: [
      'packages/protocol/src',
      'packages/worker/src',
      'packages/worker/migrations',
      'packages/worker/wrangler.jsonc',
    ],
    outputs: [
      'packages/worker/dist/index.js',
      'packages/worker/dist/extension-host.js',
      'packages/worker/dist/miniflare-options.json',
    ],
  },
  agents: {
    inputs: ['packages/protocol/src', 'packages/loop/src', 'packages/agents/src'],
    outputs: ['packages/agents/dist/agent.mjs'],
  },
  cli: {
    inputs: [
      'packages/protocol/src',
      'packages/client/src',
      'packages/runner/src',
      'packages/worker/engine',
      'packages/cli/src',
    ],
    outputs: ['packages/cli/dist/filepath.js'],
  },
  web: {
    inputs: ['packages/protocol/src', 'packages/client/src', 'packages/web', 'docs'],
    outputs: ['packages/web/build/index.html'],
  },
};

export function staleSteps(names = Object.keys(steps)) {
  return names.filter((name) => isStale(name));
}

function isStale(name) {
  const { outputs } = steps[name];
  if (outputs.some((output) => !existsSync(join(root, output)))) return true;
  try {
    return readFileSync(stampFile(name), 'utf8') !== fingerprint(name);
  } catch {
    return true;
  }
}

/** Taken before a build starts, written after it: an edit in between makes it stale again. */
export function fingerprint(name) {
  const hash = createHash('sha256');
  for (const input of [...ALWAYS, ...steps[name].inputs]) addToHash(hash, input);
  return hash.digest('hex');
}

export function writeStamp(name, value) {
  mkdirSync(join(root, 'node_modules/.cache/filepath'), { recursive: true });
  writeFileSync(stampFile(name), value);
}

function stampFile(name) {
  return join(root, `node_modules/.cache/filepath/${name}.built`);
}

function addToHash(hash, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory()) {
    for (const name of readdirSync(join(root, path)).sort()) {
      if (!LEFT_OUT.has(name)) addToHash(hash, `${path}/${name}`);
    }
  } else {
    hash.update(`${path}\0${found.size}\0${found.mtimeMs}\0`);
  }
}
