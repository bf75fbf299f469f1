import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tempDir, type TempDir } from '@filepath/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScopedFiles, ScopeRefusal } from '../../src/tunnel/scoped-files.ts';

let dir: TempDir;
let root: string;
let files: ScopedFiles;
const SECRET = 'nobody outside may read this';

beforeEach(() => {
  dir = tempDir('tunnel');
  root = join(dir.path, 'served');
  mkdirSync(join(root, 'in'), { recursive: true });
  mkdirSync(join(dir.path, 'outside'));
  mkdirSync(join(dir.path, 'served-twin'));
  writeFileSync(join(dir.path, 'outside', 'secret'), SECRET);
  writeFileSync(join(dir.path, 'served-twin', 'secret'), SECRET);
  writeFileSync(join(root, 'in', 'a.txt'), 'one\ntwo\n');
  files = new ScopedFiles(root);
});

afterEach(() => {
  files.close();
  dir.remove();
});

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return error instanceof ScopeRefusal ? error.code : `thrown: ${String(error)}`;
  }
  return 'done';
};

describe('[TUN4] [T10] the files of a directory', () => {
  it('are read and written where they are, and keep their mode', () => {
    expect(files.get('in/a.txt')).toBe('one\ntwo\n');
    chmodSync(join(root, 'in', 'a.txt'), 0o750);
    expect(files.put('in/a.txt', 'other')).toBeNull();
    expect(readFileSync(join(root, 'in', 'a.txt'), 'utf8')).toBe('other');
    expect(statSync(join(root, 'in', 'a.txt')).mode & 0o777).toBe(0o750);
    expect(files.put('new/deep/b.txt', 'b')).toBeNull();
    expect(files.get('new/deep/b.txt')).toBe('b');
    expect(files.get('in/none')).toBeNull();
    expect(files.get('none/none')).toBeNull();
    expect(readdirSync(join(root, 'in'))).toEqual(['a.txt']);
  });

  it.each([
    '../outside/secret',
    'in/../../outside/secret',
    '../served-twin/secret',
    '/etc/passwd',
    './in/a.txt',
    'in//a.txt',
    'in/a.txt/',
    '..',
    '',
    'in/\0/a',
  ])('are not reached by %j', (path) => {
    expect(codeOf(() => files.get(path))).toBe('out_of_scope');
    expect(codeOf(() => files.put(path, 'x'))).toBe('out_of_scope');
  });

  it('are not reached through links, whole or in part', () => {
    symlinkSync(join(dir.path, 'outside', 'secret'), join(root, 'link'));
    symlinkSync(join(dir.path, 'outside'), join(root, 'folder'));
    symlinkSync('../outside', join(root, 'relative'));
    symlinkSync('in/a.txt', join(root, 'inside'));
    for (const path of ['link', 'folder/secret', 'relative/secret', 'inside']) {
      expect(codeOf(() => files.get(path))).toBe('out_of_scope');
      expect(codeOf(() => files.put(path, 'x'))).toBe('out_of_scope');
    }
    expect(codeOf(() => files.put('folder/fresh', 'x'))).toBe('out_of_scope');
    expect(readdirSync(join(dir.path, 'outside'))).toEqual(['secret']);
    expect(readFileSync(join(dir.path, 'outside', 'secret'), 'utf8')).toBe(SECRET);
  });

  it('are not pipes, directories, binaries or too large, and none is waited for', () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(codeOf(() => files.get('pipe'))).toBe('out_of_scope');
    expect(codeOf(() => files.get('in'))).toBe('out_of_scope');
    expect(codeOf(() => files.put('in', 'x'))).toBe('out_of_scope');
    writeFileSync(join(root, 'binary'), Buffer.from([0xff, 0xfe, 0x00]));
    expect(codeOf(() => files.get('binary'))).toBe('not_text');
    writeFileSync(join(root, 'large'), Buffer.alloc(2 * 1024 * 1024 + 1, 97));
    expect(codeOf(() => files.get('large'))).toBe('too_large');
    expect(files.put('huge', 'a'.repeat(2 * 1024 * 1024 + 1))).toContain('at most');
    expect(existsSync(join(root, 'huge'))).toBe(false);
  });

  it('are not what git runs', () => {
    mkdirSync(join(root, '.git', 'hooks'), { recursive: true });
    for (const path of ['.git/hooks/pre-commit', '.git/config', '.GIT/config', 'in/.git/config'])
      expect(codeOf(() => files.put(path, 'x'))).toBe('out_of_scope');
    expect(readdirSync(join(root, '.git', 'hooks'))).toEqual([]);
  });

  it('are of the directory that was opened, whatever has its name later', () => {
    renameSync(root, join(dir.path, 'moved'));
    symlinkSync(join(dir.path, 'outside'), root);
    expect(files.get('secret')).toBeNull();
    expect(files.get('in/a.txt')).toBe('one\ntwo\n');
  });

  it('are not reached while a link is swapped in and out', async () => {
    const swap = join(root, 'swap');
    mkdirSync(swap);
    writeFileSync(join(swap, 'secret'), 'inside');
    const script = `
      const { renameSync, rmSync, symlinkSync } = require('node:fs');
      const [root, outside] = process.argv.slice(1);
      symlinkSync(outside, root + '/link');
      process.stdout.write('ready');
      for (;;) {
        renameSync(root + '/swap', root + '/away');
        renameSync(root + '/link', root + '/swap');
        renameSync(root + '/swap', root + '/link');
        renameSync(root + '/away', root + '/swap');
        try {
          rmSync(root + '/made', { recursive: true, force: true });
          symlinkSync(outside, root + '/made');
        } catch {}
      }`;
    const swapper = spawn(process.execPath, ['-e', script, root, join(dir.path, 'outside')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(swapper.stdout, 'data');
      const seen = { inside: 0, none: 0, refused: 0 };
      const until = Date.now() + 2_000;
      for (let at = 0; Date.now() < until || seen.inside === 0 || seen.refused === 0; at += 1) {
        if (Date.now() > until + 20_000) break;
        try {
          if (at % 2 === 1) files.put('made/made', String(at));
          const text = files.get('swap/secret');
          expect(text).not.toBe(SECRET);
          seen[text === null ? 'none' : 'inside'] += 1;
        } catch (error) {
          // What was taken away in between is a failure as any other.
          if (error instanceof ScopeRefusal) seen.refused += 1;
          else expect(error).toMatchObject({ code: 'ENOENT' });
        }
      }
      expect(seen.inside).toBeGreaterThan(0);
      expect(seen.refused).toBeGreaterThan(0);
    } finally {
      const gone = once(swapper, 'exit');
      swapper.kill('SIGKILL');
      await gone;
    }
    expect(readdirSync(join(dir.path, 'outside'))).toEqual(['secret']);
  });
});
