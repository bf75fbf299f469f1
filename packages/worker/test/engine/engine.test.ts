import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { startTimeOf } from '../../engine/index.ts';
import {
  askUntilAnswered,
  fixture,
  fixtureEngine,
  pidOf,
  temporaryHome,
} from './engine-fixture.ts';

const here = dirname(fileURLToPath(import.meta.url));

describe('the engine', () => {
  it('serves the worker, its bindings, its databases and the page', async () => {
    const { url } = await fixtureEngine();
    expect(await (await fetch(`${url}/any/path`)).text()).toContain('the page');
    expect(await (await fetch(`${url}/seen`)).json()).toMatchObject({ bound: 'hello' });
    const stored = await (await fetch(`${url}/stored`, { method: 'PUT' })).json();
    expect(stored).toEqual({ d1: 'secret row', r2: 'secret blob', kv: 'secret value' });
  });

  it('keeps everything over a stop and a start, and applies a migration once', async () => {
    const home = temporaryHome();
    const first = await fixtureEngine({ home });
    await fetch(`${first.url}/stored`, { method: 'PUT' });
    await fetch(`${first.url}/count`);
    await first.stop();
    const second = await fixtureEngine({ home });
    expect(await (await fetch(`${second.url}/stored`)).json()).toEqual({
      d1: 'secret row',
      r2: 'secret blob',
      kv: 'secret value',
    });
    expect(await (await fetch(`${second.url}/count`)).text()).toBe('2');
  });

  it('comes back on the same port with its state each time workerd is killed', async () => {
    const onExit = vi.fn();
    const engine = await fixtureEngine({ onExit });
    expect(await (await fetch(`${engine.url}/count`)).text()).toBe('1');
    for (let kill = 1; kill <= 4; kill += 1) {
      const killed = pidOf(engine);
      process.kill(killed, 'SIGKILL');
      expect(await askUntilAnswered(`${engine.url}/count`)).toBe(String(kill + 1));
      expect(pidOf(engine)).not.toBe(killed);
    }
    expect(onExit).not.toHaveBeenCalled();
  });

  it('comes back when workerd is killed again while it restarts', async () => {
    const engine = await fixtureEngine();
    const first = pidOf(engine);
    process.kill(first, 'SIGKILL');
    await vi.waitUntil(() => (engine.pid() ?? first) !== first, { interval: 1, timeout: 25_000 });
    process.kill(pidOf(engine), 'SIGKILL');
    expect(await askUntilAnswered(`${engine.url}/count`)).toBe('1');
  });

  it('comes back when workerd is frozen', async () => {
    const engine = await fixtureEngine({ probe: { everyMs: 100, timeoutMs: 1_000 } });
    const frozen = pidOf(engine);
    process.kill(frozen, 'SIGSTOP');
    await vi.waitUntil(() => (engine.pid() ?? frozen) !== frozen, { timeout: 25_000 });
    expect(await askUntilAnswered(`${engine.url}/count`)).toBe('1');
  });

  it('says so when workerd cannot come back', async () => {
    const lost = Promise.withResolvers<void>();
    const engine = await fixtureEngine({ onExit: lost.resolve });
    const { port, hostname } = new URL(engine.url);
    const thief = createServer();
    onTestFinished(() => void thief.close());
    // The port is free from the kill until workerd listens again: where that was faster it is killed once more.
    await vi.waitFor(
      async () => {
        const running = engine.pid();
        if (running !== null) process.kill(running, 'SIGKILL');
        thief.listen(Number(port), hostname);
        await once(thief, 'listening');
      },
      { interval: 0, timeout: 25_000 },
    );
    await lost.promise;
  });

  it('refuses a taken port with one sentence that names it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(fixtureEngine({ port })).rejects.toThrow(
      new RegExp(`^Port ${port} is taken by another program; set FILEPATH_PORT to a free one`),
    );
  });

  it('refuses an address that is not of this machine', async () => {
    await expect(fixtureEngine({ host: '192.0.2.1' })).rejects.toThrow('FILEPATH_HOST');
  });

  it('runs beside another on its own home', async () => {
    const [one, two] = await Promise.all([fixtureEngine(), fixtureEngine()]);
    await fetch(`${one.url}/count`);
    expect(await (await fetch(`${one.url}/count`)).text()).toBe('2');
    expect(await (await fetch(`${two.url}/count`)).text()).toBe('1');
  });

  it('works in a home whose path is longer than a socket address', async () => {
    const home = join(temporaryHome(), 'long'.repeat(30));
    const { mkdirSync } = await import('node:fs');
    mkdirSync(home);
    const { url } = await fixtureEngine({ home });
    expect(await (await fetch(`${url}/count`)).text()).toBe('1');
  });

  it('takes workerd with it when its own process is killed', async () => {
    const child = spawn(
      process.execPath,
      [join(here, 'engine-process.ts'), temporaryHome(), fixture],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const line: unknown = (await once(createInterface(child.stdout), 'line'))[0];
    const pid = Number(line);
    expect(startTimeOf(pid)).not.toBeNull();
    child.kill('SIGKILL');
    while (startTimeOf(pid) !== null) await delay(10);
  });
});
