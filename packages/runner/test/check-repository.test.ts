import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, repositoryOf } from './repositories.ts';
import { Bench, later, tempDir } from './setup.ts';

const TOKEN = 'tok-of-a-person-0123';

it('[UIS4] the runner says whether a repository can be cloned, and clones nothing', async () => {
  const bench = await Bench.open();
  await bench.worker.until('hello', () => bench.worker.connected);
  const check = (repository: string) => bench.worker.ask({ kind: 'repository', repository });
  const full = repositoryOf({ file: 'x\n' });
  git(full, 'checkout', '-q', '-b', 'work/one');
  expect(await check(full)).toEqual({
    kind: 'repository',
    found: { branch: 'work/one', empty: false },
  });

  const empty = join(tempDir(), 'empty');
  mkdirSync(empty);
  git(empty, 'init', '-q', '-b', 'main');
  expect(await check(empty)).toMatchObject({ kind: 'repository', found: { empty: true } });

  const plain = tempDir();
  const reasons = [
    [`${plain}/nothing`, 'there is nothing at this path'],
    [plain, 'does not appear to be a git repository'],
    ['ftp://example.com/x.git', 'cannot be cloned over ftp:'],
    ['--upload-pack=touch', 'neither an absolute path nor a URL'],
  ] as const;
  for (const [repository, reason] of reasons) {
    const answer = await check(repository);
    expect(answer.kind === 'failed' ? answer.reason : answer.kind).toContain(reason);
  }
});

it('[UIS4] a server that refuses is told with advice and without the credentials', async () => {
  const server = createServer((_, response) => {
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => new Promise((resolve) => server.close(resolve)));
  const bench = await Bench.open();
  await bench.worker.until('hello', () => bench.worker.connected);
  const { port } = server.address() as AddressInfo;
  const repository = `http://me:${TOKEN}@127.0.0.1:${port}/x.git`;
  const answer = await bench.worker.ask({ kind: 'repository', repository });
  if (answer.kind !== 'failed') throw new Error('it was taken for reachable');
  expect(answer.reason).toContain(`cannot clone http://127.0.0.1:${port}/x.git`);
  expect(answer.reason).toContain('Put a token that may read it into the URL');
  expect(JSON.stringify(answer)).not.toContain(TOKEN);
});
