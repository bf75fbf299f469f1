import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

import { lockHome, ownIdentity } from '../../engine/index.ts';
import { temporaryHome } from './engine-fixture.ts';

const holder = join(dirname(fileURLToPath(import.meta.url)), 'lock-process.ts');

/** A process of another instance: takes the lock, says whether it has it, and stays. */
async function other(home: string): Promise<{ readonly said: string; kill(): Promise<void> }> {
  const child = spawn(process.execPath, [holder, home], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = String((await once(child.stdout, 'data'))[0]);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(kill);
  return { said, kill };
}

describe('the lock of a home', () => {
  it('makes the home for its owner only, and is gone after its release', () => {
    const home = join(temporaryHome(), 'deep/home');
    const lock = lockHome(home);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(readdirSync(home)).toEqual(['lock']);
    lock.release();
    expect(readdirSync(home)).toEqual([]);
  });

  it('refuses a home that a live process has, with one sentence', async () => {
    const home = temporaryHome();
    const { said } = await other(home);
    expect(said).toBe('held');
    expect(() => lockHome(home)).toThrow(
      /^Another filepath \(process \d+\) already runs on .*; stop it, or set/,
    );
    expect(readdirSync(home)).toEqual(['lock']);
  });

  it('is taken over from a killed process', async () => {
    const home = temporaryHome();
    const dead = await other(home);
    await dead.kill();
    const lock = lockHome(home);
    expect(JSON.parse(readFileSync(join(home, 'lock'), 'utf8'))).toEqual(ownIdentity());
    lock.release();
    expect(readdirSync(home)).toEqual([]);
  });

  it('is taken over when another process has the pid of the dead one', () => {
    const home = temporaryHome();
    writeFileSync(join(home, 'lock'), JSON.stringify({ pid: 1, startTime: 'another time' }));
    lockHome(home).release();
  });

  it('is taken over when the one that was taking it over was killed, too', () => {
    const home = temporaryHome();
    const dead = { pid: spawnSync('true').pid, startTime: '1' };
    writeFileSync(join(home, 'lock'), JSON.stringify(dead));
    writeFileSync(join(home, `lock.${dead.pid}-1`), JSON.stringify({ ...dead, startTime: '2' }));
    lockHome(home).release();
    expect(readdirSync(home)).toEqual([]);
  });

  it('goes to exactly one of many that take over a dead one at once', async () => {
    const home = temporaryHome();
    writeFileSync(join(home, 'lock'), JSON.stringify({ pid: 1, startTime: 'long ago' }));
    const said = await Promise.all(Array.from({ length: 8 }, async () => (await other(home)).said));
    expect(said.filter((word) => word === 'held')).toHaveLength(1);
    expect(said.filter((word) => word === 'refused')).toHaveLength(7);
  });

  it.each(['/proc/filepath', '/proc/1/filepath'])('refuses %s, where nobody can write', (home) => {
    expect(() => lockHome(home)).toThrow(
      /cannot be written .*; set FILEPATH_HOME to a directory of yours\.$/,
    );
  });

  it('refuses a home in whose place a file is', () => {
    const home = join(temporaryHome(), 'file');
    writeFileSync(home, '');
    expect(() => lockHome(home)).toThrow('a file is in its place');
    expect(() => lockHome(join(home, 'below'))).toThrow('a file is in its place');
  });

  it('says what to do about a lock that cannot be read', () => {
    const home = temporaryHome();
    mkdirSync(join(home, 'lock'));
    expect(() => lockHome(home)).toThrow('remove it if no filepath runs on this home');
  });
});
