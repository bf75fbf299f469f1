import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentEntry } from '@filepath/protocol';
import { addToCatalog } from './adapters.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const FILEPATH = join(ROOT, 'packages/cli/dist/filepath.js');
const CACHE = join(ROOT, 'node_modules/.cache/filepath/clis');

/** The folder of tools with the entry's CLI at its pinned version, installed once as an operator does it. */
export function installed(entry: AgentEntry): string {
  if (entry.install?.from !== 'npm') throw new Error(`${entry.name} is not installed from npm`);
  const home = join(CACHE, `${entry.type}-${entry.install.version}`);
  const ready = join(home, 'ready');
  if (!existsSync(ready)) {
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    addToCatalog(entry, home);
    execFileSync(process.execPath, [FILEPATH, 'agents', 'install', entry.type], {
      env: { ...process.env, FILEPATH_HOME: home },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    writeFileSync(ready, '');
  }
  return join(home, 'tools');
}
