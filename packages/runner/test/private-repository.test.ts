import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  createReadStream,
  existsSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseRemote, shownRemote } from '../src/git/remote.ts';
import { ended, git, repositoryOf } from './repositories.ts';
import { Bench, later, shellOrder, tempDir } from './setup.ts';

const USER = 'someone';
const TOKEN = 'tok/en:with@signs';

/** A bare repository over http, for those who know the token. */
async function privateServer(): Promise<{ host: string; asked: string[] }> {
  const root = tempDir();
  git('/', 'clone', '-q', '--bare', repositoryOf({ file: 'private\n' }), join(root, 'x.git'));
  git(join(root, 'x.git'), 'update-server-info');
  const asked: string[] = [];
  const expected = `Basic ${Buffer.from(`${USER}:${TOKEN}`).toString('base64')}`;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.headers.authorization !== expected) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
      return;
    }
    const path = join(root, (request.url ?? '').split('?')[0] ?? '');
    if (!existsSync(path) || !statSync(path).isFile()) return void response.writeHead(404).end();
    createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => new Promise((resolve) => server.close(resolve)));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const withToken = (host: string, token: string): string =>
  `http://${USER}:${encodeURIComponent(token)}@${host}/x.git`;

describe('a private repository', () => {
  it('[GIT4] is cloned with the token of its URL, which is nowhere afterwards', async () => {
    const { host } = await privateServer();
    const bench = await Bench.open();
    const script = 'cat file; git remote get-url origin; env; cat .git/config';
    const order = shellOrder(script, { gitRepoUrl: withToken(host, TOKEN) });
    const thread = await ended(bench, order);
    expect(thread.texts.slice(0, 2)).toEqual(['private', `http://${host}/x.git`]);
    await bench.logged(order, 'over');
    const forms = [
      TOKEN,
      encodeURIComponent(TOKEN),
      Buffer.from(`${USER}:${TOKEN}`).toString('base64'),
    ];
    const said = JSON.stringify([thread.texts, thread.observed, bench.logs]);
    for (const form of forms) {
      expect(said).not.toContain(form);
      const found = execFileSync('sh', [
        '-c',
        'grep -rlF -- "$1" "$2" || true',
        'sh',
        form,
        bench.home,
      ]);
      expect(found.toString()).toBe('');
    }
  });

  it('[GIT4] is refused without it and with a wrong one, also where a mirror is here, with what to do', async () => {
    const { host } = await privateServer();
    const bench = await Bench.open();
    await ended(bench, shellOrder('true', { gitRepoUrl: withToken(host, TOKEN) }));
    for (const gitRepoUrl of [`http://${host}/x.git`, withToken(host, 'wrong-wrong-wrong')]) {
      const { refused } = await ended(bench, shellOrder('true', { gitRepoUrl }));
      expect(refused).toMatch(/^cannot clone http:.*Put a token that may read it into the URL/s);
      expect(refused).not.toContain('wrong-wrong-wrong');
    }
  });

  it('[GIT4] is cloned over ssh with the keys of the host, which stay there', async () => {
    const gitRepoUrl = 'ssh://git@example.test:2222/srv/x.git';
    const bin = tempDir();
    const repo = repositoryOf({ file: 'private\n' });
    writeFileSync(
      join(bin, 'ssh'),
      `#!/bin/sh
      echo "$@" >> ${bin}/args; echo "$SSH_AUTH_SOCK" >> ${bin}/agent
      exec env GIT_CONFIG_GLOBAL=${bin}/config git-upload-pack ${repo}\n`,
    );
    writeFileSync(join(bin, 'config'), '[safe]\ndirectory = *\n');
    chmodSync(join(bin, 'ssh'), 0o755);
    const env = {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: bin,
      SSH_AUTH_SOCK: '/run/agent.sock',
    };
    const bench = await Bench.open({ env });
    const script = 'cat file; git remote get-url origin; echo "${SSH_AUTH_SOCK-none}"';
    const thread = await ended(bench, shellOrder(script, { gitRepoUrl }));
    expect(thread.texts).toEqual(['private', gitRepoUrl, 'none']);
    const args = readFileSync(join(bin, 'args'), 'utf8');
    expect(args).toContain('-oBatchMode=yes');
    expect(args).toContain('-p 2222 git@example.test');
    expect(readFileSync(join(bin, 'agent'), 'utf8')).toMatch(/^(\/run\/agent\.sock\n)+$/);
  });

  it.each([
    ['Permission denied (publickey).', /ssh-add/],
    ['Host key verification failed.', /connect to it once by hand/],
  ])('[GIT4] is refused with what to do where ssh says: %s', async (words, advice) => {
    const bin = tempDir();
    writeFileSync(join(bin, 'ssh'), `#!/bin/sh\necho '${words}' >&2\nexit 255\n`);
    chmodSync(join(bin, 'ssh'), 0o755);
    const bench = await Bench.open({ env: { PATH: `${bin}:${process.env['PATH']}` } });
    const thread = await ended(
      bench,
      shellOrder('true', { gitRepoUrl: 'git@example.test:x/y.git' }),
    );
    expect(thread.refused).toContain(words);
    expect(thread.refused).toMatch(advice);
  });
});

describe('the name of a remote', () => {
  it.each([
    ['https://user:p@ss/word@example.org/x.git', 'the repository'],
    ['https://us:p@ss@example.org/x.git', 'https://example.org/x.git'],
    ['https://tok@example.org/x.git', 'https://example.org/x.git'],
    ['git@example.org:x/y.git', 'git@example.org:x/y.git'],
    ['/a/path', '/a/path'],
  ])('[GIT4] %s is shown without credentials', (given, shown) => {
    expect(shownRemote(given)).toBe(shown);
  });

  it.each([
    'ext::sh -c id',
    'git@-oProxyCommand=id:x',
    'git@host:-x',
    'ssh://-oProxyCommand=id/x',
    'file:///etc',
    'https://a%0ab:c@example.org/x',
    '/a\nb',
  ])('[GIT5] %s is none', (given) => {
    expect(() => parseRemote(given)).toThrow();
  });
});
