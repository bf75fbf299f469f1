import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { findEngine } from '@filepath/runner';
import type { Machine, Ran } from './check.ts';

const TIMEOUT_MS = 10_000;
const MOST_OUTPUT = 64 * 1024;

export const thisMachine: Machine = {
  platform: process.platform,
  nodeVersion: process.versions.node,
  isRoot: process.getuid?.() === 0,
  run,
  sandbox: async () => (await import('@filepath/runner')).checkSandbox(),
  async limits() {
    const { limitsHere } = await import('@filepath/runner');
    try {
      return limitsHere(process.env);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  },
  containers: () => findEngine(process.env),
  async agents(env) {
    const { knownHere, lacksProgram } = await import('../agents/known.ts');
    const known = await knownHere(env);
    const missing = known.entries.filter((entry) => lacksProgram(entry, known));
    return { missing: missing.map(({ type }) => type), faults: known.faults };
  },
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return null;
    }
  },
  async freeBytes(dir) {
    const place = nearest(dir);
    if (place === null) return null;
    const { bavail, bsize } = await statfs(place);
    return bavail * bsize;
  },
  listen: (host, port) =>
    new Promise((resolve) => {
      const server = createServer();
      server.once('error', (error) => resolve('code' in error ? String(error.code) : 'unknown'));
      server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
    }),
};

function run(file: string, args: string[]): Promise<Ran | null> {
  const limits = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: MOST_OUTPUT } as const;
  return new Promise((resolve) => {
    execFile(file, args, limits, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT' || error?.code === 'EACCES') return resolve(null);
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });
}

/** The folder, or the nearest one above it that exists; null if that one cannot be written. */
function nearest(dir: string): string | null {
  for (let place = dir; ; place = dirname(place)) {
    try {
      accessSync(place, constants.F_OK);
    } catch {
      if (dirname(place) === place) return null;
      continue;
    }
    try {
      accessSync(place, constants.W_OK | constants.X_OK);
      return place;
    } catch {
      return null;
    }
  }
}
