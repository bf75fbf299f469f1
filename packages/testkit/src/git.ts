import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Nothing of the machine's own git configuration reaches a test. */
const ENV = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@localhost',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@localhost',
};

export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, env: ENV, encoding: 'utf8', stdio: 'pipe' }).trim();
}

export type Commit = { message: string; files: Record<string, string> };

const COMMITS: Commit[] = [
  { message: 'docs: say what this is', files: { 'README.md': '# A small repository\n' } },
  { message: 'feat: greet', files: { 'src/hello.txt': 'hello\n' } },
];

/** A repository in `dir` with one commit for each given; its branch is `main`. Gives the hashes, oldest first. */
export function makeRepo(dir: string, commits: readonly Commit[] = COMMITS): string[] {
  mkdirSync(dir, { recursive: true });
  git(dir, 'init', '--quiet', '--initial-branch=main');
  return commits.map(({ message, files }) => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(dir, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    git(dir, 'add', '--all');
    git(dir, 'commit', '--quiet', '--allow-empty', '--message', message);
    return git(dir, 'rev-parse', 'HEAD');
  });
}
