import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, makeRepo, tempDir } from '../src/index.ts';

it('makes a repository that can be cloned, and cleans up', () => {
  const dir = tempDir();
  const repo = join(dir.path, 'repo');
  const hashes = makeRepo(repo);
  git(dir.path, 'clone', '--quiet', repo, 'clone');
  expect(git(join(dir.path, 'clone'), 'log', '--format=%H', '--reverse').split('\n')).toEqual(
    hashes,
  );
  expect(git(repo, 'branch', '--show-current')).toBe('main');
  dir.remove();
  expect(existsSync(dir.path)).toBe(false);
});
