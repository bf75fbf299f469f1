// Which Node runs filepath. Plain JavaScript for Node 20: it runs before anything is installed.
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const bin = join(root, 'node_modules/.bin');
const OLDEST = [22, 12];

/** The repository's own Node where it brings one, else the one that runs this, if it is new enough. */
export function findNode() {
  const own = join(bin, 'node');
  if (existsSync(own)) return own;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const newEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  return newEnough ? process.execPath : null;
}

export const NODE_TOO_OLD = `filepath needs Node ${OLDEST.join('.')} or newer on this system, and this is Node ${process.versions.node}; install a newer one from https://nodejs.org and start again.`;

/** The environment in which tools that start with `#!/usr/bin/env node` find the repository's Node. */
export function environment() {
  return { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
}
