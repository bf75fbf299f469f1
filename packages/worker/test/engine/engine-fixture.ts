import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { startEngine, type Engine, type EngineOptions } from '../../engine/index.ts';

export const fixture = join(dirname(fileURLToPath(import.meta.url)), 'fixture');

/** For an engine of several tests. */
export function temporaryDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'filepath-engine-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'filepath-engine-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

export async function fixtureEngine(options: Partial<EngineOptions> = {}): Promise<Engine> {
  const engine = await startFixture({ home: temporaryHome(), ...options });
  onTestFinished(() => engine.stop());
  return engine;
}

export function startFixture(
  options: Partial<EngineOptions> & { readonly home: string },
): Promise<Engine> {
  return startEngine({
    host: '127.0.0.1',
    port: 0,
    bindings: { GREETING: 'hello' },
    dist: fixture,
    ...options,
  });
}

/** Asks until an answer comes: the port refuses connections while workerd is being restarted. */
export async function askUntilAnswered(url: string): Promise<string> {
  for (;;) {
    try {
      return await (await fetch(url)).text();
    } catch {
      await delay(10);
    }
  }
}

export function pidOf(engine: Engine): number {
  const pid = engine.pid();
  if (pid === null) throw new Error('workerd does not run');
  return pid;
}
