// Installs the locked packages when they are missing or the lock has changed. Runs on Node 20.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './node24.mjs';
import { withProgress } from './run.mjs';

const OLDEST_NPM = 9;
const lockFile = join(root, 'package-lock.json');
const stamp = join(root, 'node_modules/.filepath-install');

/** Resolves to null when the packages are there, else to the sentence that says why not. */
export async function ensureInstalled() {
  const lock = createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  if (isInstalled(lock)) return null;
  const version = npmVersion();
  if (version === null)
    return 'npm was not found; install Node with npm from https://nodejs.org and start again.';
  if (Number(version.split('.')[0]) < OLDEST_NPM) {
    return `npm ${version} is too old, filepath needs npm ${OLDEST_NPM} or newer; run npm install -g npm@latest and start again.`;
  }
  const args = ['ci', '--loglevel=error', '--no-audit', '--no-fund'];
  const { code, output } = await withProgress('Installing packages', 'npm', args, { cwd: root });
  if (code !== 0) return `npm ci failed:\n${output.trim()}`;
  writeFileSync(stamp, lock);
  return null;
}

function isInstalled(lock) {
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') === lock;
  // Somebody ran npm ci by hand: npm writes this file when an install is complete.
  const complete = statSync(join(root, 'node_modules/.package-lock.json'), {
    throwIfNoEntry: false,
  });
  if (complete === undefined || complete.mtimeMs < statSync(lockFile).mtimeMs) return false;
  writeFileSync(stamp, lock);
  return true;
}

function npmVersion() {
  try {
    return execFileSync('npm', ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
