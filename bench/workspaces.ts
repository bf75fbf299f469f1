import { Api, follow, type Instance, tempDir } from '@filepath/testkit';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { wallMs } from './statistics.ts';

const COMMITS = 10_000;
const BYTES = 5_000;
const FILES = 50;

/** From `cloning` to `ready` at a viewer, for the first agent on a large repository and for the second. */
export async function workspaces(instance: Instance): Promise<{ first: number; second: number }> {
  using dir = tempDir('filepath-bench-repository');
  const gitRepoUrl = largeRepository(dir.path);
  return {
    first: await untilReady(instance, gitRepoUrl),
    second: await untilReady(instance, gitRepoUrl),
  };
}

/** 10,000 commits and 50 MB that do not compress. */
function largeRepository(dir: string): string {
  const path = join(dir, 'large.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', path]);
  const parts: (string | Buffer)[] = [];
  for (let n = 1; n <= COMMITS; n += 1) {
    const head = `commit refs/heads/main\ncommitter t <t@localhost> ${1_700_000_000 + n} +0000\n`;
    parts.push(`${head}data 2\nx\n\nM 100644 inline f${n % FILES}\ndata ${BYTES}\n`);
    parts.push(randomBytes(BYTES), '\n');
  }
  const input = Buffer.concat(parts.map((part) => Buffer.from(part)));
  execFileSync('git', ['--git-dir', path, 'fast-import', '--quiet'], { input });
  return path;
}

async function untilReady(instance: Instance, gitRepoUrl: string): Promise<number> {
  const api = new Api(instance);
  const { session, node } = await api.agent(['true'], { gitRepoUrl });
  const feed = follow(instance, node.id);
  await feed.live;
  await api.message(node.id, 'go');
  await feed.until(({ body }) => isState(body, 'cloning'));
  const started = wallMs();
  await feed.until(({ body }) => isState(body, 'ready'));
  const took = wallMs() - started;
  feed.close();
  await api.call('DELETE', `/api/session/${session.id}`);
  return took;
}

function isState(body: unknown, state: string): boolean {
  return typeof body === 'object' && body !== null && 'state' in body && body.state === state;
}
