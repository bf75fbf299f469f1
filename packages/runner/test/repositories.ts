import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Bench, shellOrder } from './setup.ts';
import type { ThreadRecord } from './fake-worker.ts';
import { tempDir } from './setup.ts';

export function git(cwd: string, ...args: string[]): string {
  const env = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const user = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'safe.directory=*'];
  return execFileSync('git', [...user, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

/** A repository with these files in one commit, `first`, on `main`. */
export function repositoryOf(files: Record<string, string>): string {
  const dir = join(tempDir(), 'repo');
  mkdirSync(dir);
  git(dir, 'init', '-q', '-b', 'main');
  commitFiles(dir, files, 'first');
  return dir;
}

export function commitFiles(dir: string, files: Record<string, string>, subject: string): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  git(dir, 'add', '--all');
  git(dir, 'commit', '-q', '-m', subject);
}

/** A bare repository with this many commits, each with a file of its own text. */
export function longRepository(commits: number): string {
  const dir = join(tempDir(), 'long.git');
  git('/', 'init', '-q', '--bare', '-b', 'main', dir);
  const lines: string[] = [];
  for (let n = 1; n <= commits; n++) {
    const text = `${n} ${Math.sin(n)} ${Math.cos(n)}\n`.repeat(20);
    const subject = `commit ${n}`;
    lines.push('commit refs/heads/main', `committer t <t@t> ${1_700_000_000 + n} +0000`);
    lines.push(`data ${subject.length}`, subject, `M 100644 inline f${n % 50}`);
    lines.push(`data ${text.length}`, text);
  }
  const input = `${lines.join('\n')}\n`;
  execFileSync('git', ['--git-dir', dir, 'fast-import', '--quiet'], {
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return dir;
}

/** Orders a start and waits for its end. */
export async function ended(
  bench: Bench,
  order: ReturnType<typeof shellOrder>,
): Promise<ThreadRecord> {
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  const isOver = (): boolean => thread.exit !== undefined || thread.refused !== undefined;
  await bench.worker.until('end', isOver);
  return thread;
}

/** What was told of the workspace. */
export const told = (thread: ThreadRecord): string[] =>
  thread.observed.flatMap((body) =>
    body.type === 'workspace' ? [`${body.state} ${body.detail}`] : [],
  );

/** All that the directory of an agent with a repository holds. */
export const AGENT_FILES = [
  'agent.json',
  'base',
  'gates.json',
  'gateway',
  'home',
  'mirror',
  'run',
  'workspace',
];
