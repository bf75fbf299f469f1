import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { Checkout, run } from './checkout.ts';

const COUNT =
  'echo x >> calls; mkdir -p node_modules/.bin; ln -sf "$(command -v node)" node_modules/.bin/node';

describe('npm start in a fresh clone', () => {
  it('says in one sentence that npm is too old', async () => {
    const checkout = new Checkout();
    checkout.npm('8.19.4', 'exit 9');
    expect(await checkout.start()).toEqual({
      code: 1,
      out: '',
      err: 'npm 8.19.4 is too old, filepath needs npm 9 or newer; run npm install -g npm@latest and start again.\n',
    });
  });

  it('says in one sentence that npm is missing', async () => {
    const { code, err } = await new Checkout().start();
    expect(code).toBe(1);
    expect(err).toBe(
      'npm was not found; install Node with npm from https://nodejs.org and start again.\n',
    );
  });

  it('shows what npm said when the install fails', async () => {
    const checkout = new Checkout();
    checkout.npm('10.0.0', 'echo the registry is away >&2; exit 3');
    const { code, out, err } = await checkout.start();
    expect(code).toBe(1);
    expect(out).toContain('Installing packages: failed');
    expect(err).toContain('the registry is away');
  });

  it('installs once, and again only when the lock has changed', async () => {
    const checkout = new Checkout();
    checkout.npm('10.0.0', `cd '${checkout.root}'; ${COUNT}`);
    const calls = (): number =>
      readFileSync(join(checkout.root, 'calls'), 'utf8').split('\n').length - 1;
    const first = await checkout.start('--only-install');
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain('Installing packages: done');
    expect(await checkout.start('--only-install')).toEqual({ code: 0, out: '', err: '' });
    expect(calls()).toBe(1);
    checkout.write('package-lock.json', '{"changed":true}');
    await checkout.start('--only-install');
    expect(calls()).toBe(2);
  });

  it('says in one sentence that Node is too old where the repository brings none', async () => {
    const checkout = new Checkout();
    const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'22.11.0'}})`;
    const script = join(checkout.root, 'scripts/with-node.mjs');
    const { code, err } = await run(process.execPath, ['--import', older, script, 'x.mjs'], {});
    expect(code).toBe(1);
    expect(err).toMatch(
      /^filepath needs Node 22\.12 or newer on this system, and this is Node 22\.11\.0; .*\n$/,
    );
  });
});
