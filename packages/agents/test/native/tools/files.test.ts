import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chance } from '@filepath/testkit';
import { describe, expect, it } from 'vitest';
import { editFileTool } from '../../../src/native/tools/edit-file.ts';
import { listFilesTool } from '../../../src/native/tools/list-files.ts';
import { readFileTool } from '../../../src/native/tools/read-file.ts';
import { searchTool } from '../../../src/native/tools/search.ts';
import { writeFileTool } from '../../../src/native/tools/write-file.ts';
import { unifiedDiff } from '@filepath/protocol';
import { kit, use } from './tool-kit.ts';

describe('paths', () => {
  it.each(['../outside.txt', '/etc/passwd', 'link/passwd', 'deep/link2', '~/../x'])(
    '[LOOP30] %s is refused by every tool of files',
    async (path) => {
      const made = kit();
      const { workspace } = made.place;
      symlinkSync('/etc', join(workspace, 'link'));
      mkdirSync(join(workspace, 'deep'));
      symlinkSync('../../outside', join(workspace, 'deep/link2'));
      for (const [tool, input] of [
        [readFileTool(made), { path }],
        [writeFileTool(made), { path, content: 'x' }],
        [editFileTool(made), { path, old: 'a', new: 'b' }],
        [listFilesTool(made), { path }],
        [searchTool(made), { path, pattern: 'root' }],
      ] as const) {
        const result = await use(tool, input);
        expect(result.ok).toBe(false);
        expect(result.text).toContain('outside the workspace');
      }
    },
  );

  it('[LOOP30] the home and a link inside the workspace are allowed', async () => {
    const made = kit();
    writeFileSync(join(made.place.home, 'note'), 'kept\n');
    writeFileSync(join(made.place.workspace, 'a'), 'here\n');
    symlinkSync('a', join(made.place.workspace, 'b'));
    expect((await use(readFileTool(made), { path: '~/note' })).text).toBe('1\tkept');
    expect((await use(readFileTool(made), { path: 'b' })).text).toBe('1\there');
  });
});

describe('reading', () => {
  it('numbers lines, and says how to read on', async () => {
    const made = kit();
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at + 1}`);
    writeFileSync(join(made.place.workspace, 'long'), `${lines.join('\n')}\n`);
    const { text } = await use(readFileTool(made), { path: 'long', offset: 10, limit: 2 });
    expect(text).toBe('10\tline 10\n11\tline 11\n[39 more lines; go on at offset 12]');
  });

  it('a pipe, a folder, a binary file and one that is not there are failures, at once', async () => {
    const made = kit();
    const { workspace } = made.place;
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    mkdirSync(join(workspace, 'folder'));
    writeFileSync(join(workspace, 'binary'), Buffer.from([1, 0, 2]));
    const texts = [];
    for (const path of ['pipe', 'folder', 'binary', 'gone']) {
      texts.push((await use(readFileTool(made), { path })).text);
    }
    expect(texts).toEqual([
      expect.stringContaining('no regular file'),
      expect.stringContaining('no regular file'),
      'binary is a binary file.',
      'There is no file gone.',
    ]);
  });

  it('searches and lists without a repository too, within bounds', async () => {
    const made = kit();
    const { workspace } = made.place;
    mkdirSync(join(workspace, 'src/deep'), { recursive: true });
    for (let at = 0; at < 30; at += 1) {
      writeFileSync(join(workspace, `src/deep/f${at}.ts`), 'const needle = 1;\n'.repeat(10));
    }
    const found = await use(searchTool(made), { pattern: 'need.e', glob: '*.ts', limit: 5 });
    expect(found.text.split('\n')).toHaveLength(6);
    expect(found.text).toContain('[295 more lines');
    expect(await use(searchTool(made), { pattern: 'nothing like it' })).toMatchObject({
      ok: true,
      text: 'Nothing was found.',
    });
    const listed = await use(listFilesTool(made), { glob: '**/f1*.ts' });
    expect(listed.text.split('\n')).toHaveLength(11);
    expect((await use(listFilesTool(made), {})).text).toBe('src/\nsrc/deep/');
  });
});

describe('editing', () => {
  it('[LOOP31] replaces what occurs once, and refuses what occurs more often or not at all', async () => {
    const made = kit();
    const file = join(made.place.workspace, 'a.ts');
    writeFileSync(file, 'one\ntwo\none\n');
    const edit = editFileTool(made);
    expect((await use(edit, { path: 'a.ts', old: 'one', new: '1' })).text).toContain('2 times');
    expect((await use(edit, { path: 'a.ts', old: 'three', new: '3' })).text).toContain('not occur');
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\none\n');
    const once = await use(edit, { path: 'a.ts', old: 'two', new: '$&' });
    expect(once.text).toBe('--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+$&\n one\n');
    expect(await use(edit, { path: 'a.ts', old: 'one', new: '1', all: true })).toMatchObject({
      ok: true,
    });
    expect(readFileSync(file, 'utf8')).toBe('1\n$&\n1\n');
  });

  it('[LOOP31] a diff makes the new file of the old one, as patch reads it', () => {
    const random = chance('unified diff');
    const made = kit();
    const { workspace } = made.place;
    const text = () => {
      const lines = Array.from({ length: random.below(31) }, () => `line ${random.below(7)}`);
      const end = random.below(2) === 0 || lines.length === 0 ? '' : '\n';
      return lines.join('\n') + end;
    };
    for (let round = 0; round < 60; round += 1) {
      const [before, after] = [text(), text()];
      const diff = unifiedDiff('f', before, after);
      if (before === after) {
        expect(diff).toBe('');
        continue;
      }
      if (before === '' || after === '') continue;
      writeFileSync(join(workspace, 'f'), before);
      execFileSync('git', ['apply', '--unidiff-zero', '-'], { cwd: workspace, input: diff });
      expect(readFileSync(join(workspace, 'f'), 'utf8')).toBe(after);
    }
  });
});
