import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Engine } from '../../engine/index.ts';
import { fixture, startFixture, temporaryDirectory } from './engine-fixture.ts';

let engine: Engine;
let port = 0;
let heard = 0;
const home = temporaryDirectory();
const server = createServer((_request, response) => {
  heard += 1;
  response.end('from inside');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  port = (server.address() as AddressInfo).port;
  engine = await startFixture({ home: home.path });
});

afterAll(async () => {
  await engine?.stop();
  server.closeAllConnections();
  server.close();
  home.remove();
});

async function dial(by: string, host: string, at = port): Promise<string> {
  const asked = new URLSearchParams({ by, url: `http://${host}:${at}/` });
  return (await fetch(`${engine.url}/dial?${asked}`)).text();
}

const own = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .filter(({ address }) => !address.includes('%') && !address.startsWith('fe80'))
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));

const Said = z.object({ control: z.string(), answers: z.array(z.string()), heard: z.int() });

describe('the web that tools reach', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    'localhost',
    'localhost.',
    hostname(),
    ...own,
  ])('[TOOL5] T14, T16: this machine is not dialled as %s', async (host) => {
    const before = heard;
    expect(await dial('WEB', host)).toBe('unreachable');
    expect(heard).toBe(before);
  });

  it.each(['169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '168.63.129.16', '[fe80::1]'])(
    '[TOOL5] T14: metadata of machines is dialled by neither: %s',
    async (host) => {
      expect(await dial('WEB', host, 80)).toBe('unreachable');
      expect(await dial('WEB_INSIDE', host, 80)).toBe('unreachable');
    },
  );

  it('[TOOL5] T15: a name that leads elsewhere each time it is asked for never leads inside', async () => {
    const place = temporaryDirectory();
    onTestFinished(() => place.remove());
    const hosts = join(place.path, 'hosts');
    const home = join(place.path, 'home');
    writeFileSync(hosts, '');
    mkdirSync(home);
    // A network of its own: nothing is sent to whoever has the public address.
    const alone = ['--unshare-net', '--die-with-parent', '--dev-bind', '/', '/'];
    const names = ['--bind', hosts, '/etc/hosts'];
    const program = fileURLToPath(new URL('rebinding-process.ts', import.meta.url));
    const run = [process.execPath, program, home, fixture, '/etc/hosts'];
    const { stdout } = await promisify(execFile)('bwrap', [...alone, ...names, ...run]);
    const { control, answers, heard: inside } = Said.parse(JSON.parse(stdout));
    expect(control).toBe('from inside');
    expect(new Set(answers)).toEqual(new Set(['unreachable']));
    expect(answers).toHaveLength(90);
    expect(inside).toBe(0);
  });

  it('[TOOL5] what the operator permits is dialled inside', async () => {
    expect(await dial('WEB_INSIDE', 'localhost')).toBe('from inside');
    expect(heard).toBeGreaterThan(0);
  });
});
