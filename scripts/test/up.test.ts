import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { freePort, startInstance, tempDir } from '@filepath/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';

import { run, type Ended } from './checkout.ts';

const built = fileURLToPath(new URL('../../packages/cli/dist/filepath.js', import.meta.url));
const start = fileURLToPath(new URL('../start.mjs', import.meta.url));

function filepath(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return run(process.execPath, [built, ...args], { PATH: process.env['PATH'] ?? '', ...env });
}

function oneSentence({ code, err }: Ended, sentence: RegExp): void {
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(err).toMatch(sentence);
  expect(code).toBe(1);
}

describe('filepath up', () => {
  it.each(['/proc/filepath', '/dev/null', '/dev/null/home'])(
    'refuses the home %s',
    async (home) => {
      const ended = await filepath(['up', '--port', String(await freePort())], {
        FILEPATH_HOME: home,
      });
      oneSentence(
        ended,
        /^The home .* cannot be written .*; set FILEPATH_HOME to a directory of yours\.$/m,
      );
    },
  );

  it('refuses a port that another program has', async () => {
    using home = tempDir('home');
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const address = other.address();
    const port = String(typeof address === 'object' && address !== null ? address.port : 0);
    const ended = await filepath(['up', '--home', home.path], { FILEPATH_PORT: port });
    oneSentence(ended, new RegExp(`^Port ${port} is taken by another program; set FILEPATH_PORT`));
    expect(readdirSync(home.path)).not.toContain('lock');
  });

  it('[CLI7] refuses a home that another instance has, and leaves that one alone', async () => {
    await using instance = await startInstance();
    const port = String(await freePort());
    const ended = await filepath(['up', '--home', instance.home, '--port', port]);
    oneSentence(ended, /^Another filepath \(process \d+\) already runs on /);
    expect((await fetch(`${instance.url}/api/health`)).status).toBe(200);
    expect(existsSync(join(instance.home, 'instance.json'))).toBe(true);
  });

  it('refuses a token that is too short to be one', async () => {
    using home = tempDir('home');
    const ended = await filepath(['up', '--home', home.path], { FILEPATH_TOKEN: 'short' });
    oneSentence(ended, /^FILEPATH_TOKEN is too short/);
  });

  it('refuses secrets it cannot understand instead of replacing them', async () => {
    using home = tempDir('home');
    writeFileSync(join(home.path, 'secrets.json'), '{');
    oneSentence(await filepath(['up', '--home', home.path]), /secrets\.json cannot be understood/);
  });

  it.each(['0', '65536', 'abc', '-1', ''])('refuses "%s" as a port', async (port) => {
    const { code, err } = await filepath(['up', `--port=${port}`]);
    expect(err).toContain(`"${port}" is not a port`);
    expect(code).toBe(2);
  });

  it('runs beside another on a home of its own', async () => {
    await using one = await startInstance();
    await using two = await startInstance();
    expect((await fetch(`${one.url}/api/health`)).status).toBe(200);
    expect((await fetch(`${two.url}/api/health`)).status).toBe(200);
  });

  it('stops on Ctrl-C, frees home and port, and starts again', async () => {
    await using instance = await startInstance();
    expect(await instance.stop()).toBe(0);
    const left = readdirSync(instance.home);
    for (const gone of ['lock', 'instance.json', 'engine.json', 'sockets']) {
      expect(left).not.toContain(gone);
    }
    await expect(fetch(`${instance.url}/api/health`)).rejects.toThrow();
    await instance.start();
    expect((await fetch(`${instance.url}/api/health`)).status).toBe(200);
  });

  it('starts again on the same home and port after it was killed', async () => {
    await using instance = await startInstance();
    await instance.killProcess();
    await instance.start();
    expect((await fetch(`${instance.url}/api/health`)).status).toBe(200);
  });

  it('prints a link that signs in once', async () => {
    await using instance = await startInstance();
    const first = await fetch(instance.signInUrl, { redirect: 'manual' });
    expect(first.status).toBeGreaterThanOrEqual(300);
    expect(first.status).toBeLessThan(400);
    expect(first.headers.get('set-cookie')).toContain('HttpOnly');
    const second = await fetch(instance.signInUrl, { redirect: 'manual' });
    expect(second.headers.get('set-cookie')).toBeNull();
  });
});

describe('npm start', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'passes %s on, and the exit status back',
    async (signal) => {
      using home = tempDir('home');
      const args = [start, '--port', String(await freePort())];
      const env = { PATH: process.env['PATH'] ?? '', FILEPATH_HOME: home.path };
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      const lines: string[] = [];
      for await (const line of createInterface(child.stdout)) {
        lines.push(line);
        if (line.includes('Ctrl-C')) child.kill(signal);
      }
      expect(await exited).toEqual([0, null]);
      expect(lines.at(-1)).toBe('Stopped.');
    },
  );
});

describe('filepath', () => {
  it('shows its commands to whoever asks, and to whoever names one that does not exist', async () => {
    const asked = await filepath(['help']);
    expect(asked).toMatchObject({ code: 0, err: '' });
    const wrong = await filepath(['fly']);
    expect(wrong).toMatchObject({ code: 2, out: '' });
    expect(wrong.err).toBe(`There is no command "fly".\n${asked.out}`);
  });

  it.each(['constructor', '__proto__', 'toString'])('knows no command "%s"', async (name) => {
    expect((await filepath([name])).code).toBe(2);
  });

  it('says its version', async () => {
    expect(await filepath(['--version'])).toEqual({ code: 0, out: '0.1.0\n', err: '' });
  });
});
