import { FILES_FOUND } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { nearest } from '../src/git/files.ts';
import { ended, repositoryOf } from './repositories.ts';
import { Bench, shellOrder } from './setup.ts';

describe('files of a workspace', () => {
  it('[UII6] are found by part of their path, new ones too, and not those that git ignores', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({
      'src/parse.ts': 'a\n',
      'docs/Parse.md': 'b\n',
      'other.ts': 'c\n',
      '.gitignore': 'skip*\n',
    });
    const order = shellOrder('echo x > parser-new; echo x > skip-parse', { gitRepoUrl });
    await ended(bench, order);
    const { thread, slug } = order;
    expect(await bench.worker.ask({ kind: 'files', thread, slug, query: 'pars' })).toEqual({
      kind: 'files',
      found: { files: ['parser-new', 'src/parse.ts', 'docs/Parse.md'], truncated: false },
    });
    const other = shellOrder('true');
    const asked = { kind: 'files', thread: other.thread, slug: other.slug, query: '' } as const;
    expect(await bench.worker.ask(asked)).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('no workspace yet'),
    });
  });

  it('[UII6] are bounded, the nearest first', () => {
    const many = Array.from({ length: FILES_FOUND + 1 }, (_, n) => `deep/a-${n}.ts`);
    const found = nearest(['x/y-a-.ts', 'a-dir/z', ...many, 'a-.ts'], 'A-');
    expect(found.files[0]).toBe('a-.ts');
    expect(found.files).toHaveLength(FILES_FOUND);
    expect(found.truncated).toBe(true);
    expect(nearest(['a', 'b'], 'c')).toEqual({ files: [], truncated: false });
  });
});
