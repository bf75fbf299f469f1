import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runningEngine } from '../../engine/engine-file.ts';
import { fixtureEngine, temporaryHome } from './engine-fixture.ts';

/** Of the second engine. */
const hostOf = (home: string) => runningEngine(join(home, 'extensions'));

async function started() {
  const home = temporaryHome();
  const engine = await fixtureEngine({ home });
  return { home, engine };
}

const ask = async (url: string): Promise<string> => (await fetch(`${url}/extension`)).text();

describe('the engine of extensions', () => {
  it('[EXT9] is not there until somebody calls, and ends with the other', async () => {
    const { home, engine } = await started();
    expect(hostOf(home)).toBeNull();
    expect(await ask(engine.url)).toBe('alive');
    const host = hostOf(home);
    expect(host?.pid).not.toBe(engine.pid());
    await engine.stop();
    expect(hostOf(home)).toBeNull();
    expect(existsSync(join(home, 'extensions/sockets'))).toBe(false);
  });

  it('[EXT9] is there again after it was killed; the other does not notice', async () => {
    const { home, engine } = await started();
    await ask(engine.url);
    const host = hostOf(home);
    const main = engine.pid();
    if (!host) throw new Error('it does not run');
    process.kill(host.pid, 'SIGKILL');
    await expect.poll(() => ask(engine.url)).toBe('alive');
    expect(hostOf(home)?.pid).not.toBe(host.pid);
    expect(engine.pid()).toBe(main);
  });

  it('[EXT9] answers nobody but the worker: it has no port', async () => {
    const { home, engine } = await started();
    await ask(engine.url);
    const host = hostOf(home);
    if (!host) throw new Error('it does not run');
    const own = readdirSync(`/proc/${host.pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${host.pid}/fd/${fd}`);
      } catch {
        return '';
      }
    });
    const listening = ['tcp', 'tcp6'].flatMap((kind) =>
      readFileSync(`/proc/${host.pid}/net/${kind}`, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter((fields) => fields[3] === '0A')
        .map((fields) => `socket:[${fields[9]}]`),
    );
    expect(own.filter((link) => listening.includes(link))).toEqual([]);
  });
});
