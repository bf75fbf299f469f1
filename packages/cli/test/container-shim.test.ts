import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SHIM = join(import.meta.dirname, '../dist/container-shim.js');

it('[RUN1] the built command brings the shim of containers, which claims its epoch once', () => {
  const home = mkdtempSync(join(tmpdir(), 'filepath-test-'));
  try {
    const run = join(home, 'run', '1');
    mkdirSync(run, { recursive: true });
    const shim = (): number | null =>
      spawnSync(process.execPath, [SHIM, 'filepath-shim', run], { timeout: 20_000 }).status;
    expect(shim()).toBe(0);
    // There is nothing to run: it says so, as the agent's exit.
    expect(readFileSync(join(run, 'exit'), 'utf8')).toBe('125\n');
    expect(readFileSync(join(run, 'stderr'), 'utf8')).toMatch(/cannot read what to run/);
    expect(readFileSync(join(run, 'pid'), 'utf8')).toMatch(/^\d+ \d+ \S+\n$/);
    rmSync(join(run, 'exit'));
    expect(shim()).toBe(0);
    expect(existsSync(join(run, 'exit'))).toBe(false);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
