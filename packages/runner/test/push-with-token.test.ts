import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commit, pushed } from './jobs.ts';
import { ended, git, repositoryOf } from './repositories.ts';
import { Bench, later, shellOrder, tempDir } from './setup.ts';

const USER = 'someone';
const TOKEN = 'tok/en:with@signs';

/** git's own server for http, which takes pushes of those who know the token. */
async function server(): Promise<{ url: string; repository: string }> {
  const root = tempDir();
  const repository = join(root, 'x.git');
  git('/', 'clone', '-q', '--bare', repositoryOf({ a: 'a\n' }), repository);
  git(repository, 'config', 'http.receivepack', 'true');
  const expected = `Basic ${Buffer.from(`${USER}:${TOKEN}`).toString('base64')}`;
  const http = createServer((request, response) => {
    if (request.headers.authorization === expected) return backend(root, request, response);
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  later(() => new Promise((resolve) => http.close(resolve)));
  const { port } = http.address() as AddressInfo;
  const url = `http://${USER}:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}/x.git`;
  return { url, repository };
}

/** By the rules of CGI. */
function backend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const env = {
    PATH: '/usr/bin:/bin',
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    REMOTE_USER: USER,
    REQUEST_METHOD: request.method ?? '',
    PATH_INFO: path,
    QUERY_STRING: query,
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
  };
  const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    for (const line of all.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.end(all.subarray(end + 4));
  });
}

it('[GIT4] [GIT21] a push over http uses the token of the URL, which nobody is told', async () => {
  const { url, repository } = await server();
  const bench = await Bench.open();
  const start = shellOrder(commit('mine'), { gitRepoUrl: url });
  const { texts } = await ended(bench, start);
  const result = await pushed(bench, start);
  expect(result).toMatchObject({ type: 'pushed', commit: texts[0] });
  expect(git(repository, 'rev-parse', `filepath/${start.slug}`)).toBe(texts[0]);
  const wrong = { ...start, gitRepoUrl: url.replace(encodeURIComponent(TOKEN), 'wrong') };
  const refused = await pushed(bench, wrong, { branch: 'other' });
  expect(refused).toMatchObject({ type: 'job_failed' });
  const said = JSON.stringify([bench.worker.done, bench.logs]);
  for (const secret of [TOKEN, encodeURIComponent(TOKEN)]) expect(said).not.toContain(secret);
});
