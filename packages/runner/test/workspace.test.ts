import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ThreadRecord } from './fake-worker.ts';
import { Bench, shellOrder, tempDir } from './setup.ts';

function repository(): string {
  const dir = join(tempDir(), 'closed', 'repo');
  mkdirSync(dir, { recursive: true });
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: dir });
  };
  git('init', '-q', '-b', 'main');
  writeFileSync(join(dir, 'file'), 'content\n');
  writeFileSync(join(dir, '.git/hooks/post-checkout'), '#!/bin/sh\ntouch /workspace/hooked\n');
  chmodSync(join(dir, '.git/hooks/post-checkout'), 0o755);
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  return dir;
}

async function ended(bench: Bench, order: ReturnType<typeof shellOrder>): Promise<ThreadRecord> {
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('end', () => thread.exit !== undefined || thread.refused !== undefined);
  return thread;
}

const SHOW = 'cat file; git branch --show-current; git log --format=%s; git status --short; ls';

describe('a workspace', () => {
  it('[RUN12] is a clone on the branch of the agent, its own user’s, without hooks', async () => {
    const bench = await Bench.open();
    const repo = repository();
    const order = shellOrder(`${SHOW}; git remote get-url origin`, { gitRepoUrl: repo });
    const thread = await ended(bench, order);
    const branch = `filepath/${order.slug}`;
    expect(thread.texts).toEqual(['content', branch, 'first', 'file', repo]);
    const told = thread.observed.filter((body) => body.type === 'workspace');
    expect(told[0]).toMatchObject({ state: 'cloning', detail: repo });
    expect(told.at(-1)).toMatchObject({ state: 'ready', detail: repo });
    expect(existsSync(join(bench.agentDir(order), 'workspace/.git/hooks/post-checkout'))).toBe(
      false,
    );
  });

  it('is cloned from a repository below a directory that only its owner may enter', async () => {
    const bench = await Bench.open();
    const repo = repository();
    chmodSync(join(repo, '..'), 0o700);
    const thread = await ended(bench, shellOrder('cat file', { gitRepoUrl: repo }));
    expect(thread.texts).toEqual(['content']);
  });

  it('is an empty folder where there is no repository', async () => {
    const bench = await Bench.open();
    const thread = await ended(bench, shellOrder('ls -A; pwd'));
    expect(thread.texts).toEqual(['/workspace']);
  });

  it('is kept by the next start, with what the agent left in it, also when the agent shut itself out', async () => {
    const bench = await Bench.open();
    const order = shellOrder('echo more > other; chmod 0 /workspace /home/agent', {
      gitRepoUrl: repository(),
    });
    const thread = await ended(bench, order);
    await bench.logged(order, 'over');
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    await ended(bench, { ...order, epoch: 2, config: { command: ['ls'] } });
    expect(thread.texts).toEqual(['file', 'other']);
    expect(thread.observed.map((body) => body.type)).toEqual(['health', 'started', 'exit']);
  });

  it('is refused with the reason where the path is no repository, and tried again next time', async () => {
    const bench = await Bench.open();
    const dir = tempDir();
    chmodSync(dir, 0o755);
    const order = shellOrder('ls', { gitRepoUrl: dir });
    const thread = await ended(bench, order);
    expect(thread.refused).toMatch(
      new RegExp(`^cannot clone ${dir}: .*not .*a git repository`, 's'),
    );
    await bench.logged(order, 'over');
    execFileSync('git', ['init', '-q', dir]);
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    await ended(bench, { ...order, epoch: 2 });
    expect(thread.exit?.code).toBe(0);
  });

  it.each([
    ['/no/such/path', /there is nothing at this path/],
    ['ssh://git:word@example.org/x', /ssh takes no password from a URL/],
    ['ssh://-oProxyCommand=id/x', /neither an absolute path|names no user and host/],
    ['ext::sh -c id', /neither|cannot be cloned over ext:/],
    ['https://127.0.0.1:1/x', /cannot clone https:\/\/127\.0\.0\.1:1\/x: .*(refused|connect)/s],
  ])('is refused for %s', async (gitRepoUrl, reason) => {
    const bench = await Bench.open();
    const thread = await ended(bench, shellOrder('ls', { gitRepoUrl }));
    expect(thread.refused).toMatch(reason);
  });
});
