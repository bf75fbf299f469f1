import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unifiedDiff } from '@filepath/protocol';
import { sha256Hex } from '@filepath/protocol/sky';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readTar, writeTar } from '../../../../src/liteclaw/tools/tar.ts';
import type { ToolRules } from '../../../../src/liteclaw/tools/tool.ts';
import { Workspace } from '../../../../src/liteclaw/tools/workspace.ts';
import { workspaceTools } from '../../../../src/liteclaw/tools/workspace-tools.ts';
import { chatSql, LIMITS, runWith } from './support.ts';

const RW: ToolRules = { policy: 'read-write', allow: [] };

function started(limits = LIMITS) {
  const sql = chatSql();
  let now = 0;
  const workspace = new Workspace(sql, () => now, 1000);
  const run = runWith(workspaceTools(workspace), RW, limits, sql);
  return { workspace, ...run, pass: (ms: number) => (now += ms) };
}

describe('the workspace', () => {
  it('[TOOL9] is written, read and edited, with a receipt of each change', async () => {
    const it = started();
    const [before, after] = ['one\ntwo\n', 'one\n2\n'];
    await it.call('write', { path: 'a/b.txt', text: before });
    const read = await it.call('read', { path: 'a/b.txt', offset: 2 });
    expect(read.output).toEqual({
      path: 'a/b.txt',
      text: 'two',
      from: 2,
      lines: 2,
      more: 0,
      workspace: 1,
    });
    const edited = await it.call('edit', { path: 'a/b.txt', old: 'two', new: '2' });
    const patch = unifiedDiff('a/b.txt', before, after);
    expect(edited.output).toMatchObject({ diff: patch, created: false });
    expect(it.workspace.get('a/b.txt')).toBe(after);
    expect(it.receipts().map(({ change }) => change)).toEqual([
      {
        path: 'a/b.txt',
        input_hash: null,
        patch_hash: await sha256Hex(unifiedDiff('a/b.txt', '', before)),
        output_hash: await sha256Hex(before),
      },
      undefined,
      {
        path: 'a/b.txt',
        input_hash: await sha256Hex(before),
        patch_hash: await sha256Hex(patch),
        output_hash: await sha256Hex(after),
      },
    ]);
    expect(it.receipts().every(({ deterministic }) => deterministic)).toBe(true);
  });

  it('[TOOL9] an edit that does not match changes nothing', async () => {
    const it = started();
    await it.call('write', { path: 'a', text: 'x x' });
    for (const args of [
      { path: 'a', old: 'y', new: 'z' },
      { path: 'a', old: 'x', new: 'z' },
      { path: 'b', old: 'x', new: 'z' },
    ])
      expect((await it.call('edit', args)).ok).toBe(false);
    expect(it.workspace.get('a')).toBe('x x');
    expect((await it.call('edit', { path: 'a', old: 'x', new: 'z', all: true })).ok).toBe(true);
    expect(it.workspace.get('a')).toBe('z z');
  });

  it.each(['../a', '/a', 'a/../../b', 'a//b', './a', 'a/.', 'a\\b', 'a\0b', 'a/', ' ', 'e\u0301'])(
    '[TOOL9] T10: %j is no path in it',
    async (path) => {
      const it = started();
      expect((await it.call('write', { path, text: 'x' })).ok).toBe(false);
      expect(it.workspace.list()).toEqual([]);
    },
  );

  it('[TOOL9] has an end', async () => {
    const it = started({ ...LIMITS, calls: 1000, bytes: 100_000_000 });
    for (let n = 0; n < 200; n += 1) it.workspace.put(`f${n}`, 'x');
    expect((await it.call('write', { path: 'more', text: 'x' })).output).toMatchObject({
      error: expect.stringMatching(/200 files/),
    });
    expect(it.receipts().at(-1)).toMatchObject({
      error_code: 'workspace_full',
      deterministic: false,
    });
    it.workspace.replace([]);
    for (let n = 0; n < 20; n += 1) it.workspace.put(`f${n}`, 'x'.repeat(100_000));
    expect((await it.call('write', { path: 'f20', text: 'y'.repeat(99_999) })).ok).toBe(false);
  });

  it('[TOOL9] ends after it was not used for long, and other files are another generation', () => {
    const it = started();
    expect(it.workspace.expiresAt).toBeNull();
    it.workspace.put('a', 'x');
    it.pass(900);
    expect(it.workspace.get('a')).toBe('x');
    it.pass(900);
    expect(it.workspace.expired).toBe(false);
    it.pass(100);
    expect(it.workspace.expired).toBe(true);
    it.workspace.replace([{ path: 'b', text: 'y' }]);
    expect([it.workspace.generation, it.workspace.all()]).toEqual([2, [{ path: 'b', text: 'y' }]]);
  });

  it('[TOOL13] after an import no call that was logged before is of its files', () => {
    const it = started();
    it.pass(1_700_000_000_000);
    it.workspace.put('a', 'x');
    it.workspace.renew();
    expect(it.workspace.generation).toBe(1_700_000_000_000);
    it.workspace.renew();
    expect(it.workspace.generation).toBe(1_700_000_000_001);
    expect(it.workspace.all()).toEqual([{ path: 'a', text: 'x' }]);
  });

  it('[TOOL9] a snapshot is an archive that tar reads, of the same bytes each time', () => {
    const files = [
      { path: 'a.txt', text: 'one\n' },
      { path: `${'deep/'.repeat(60)}ü.txt`, text: 'x'.repeat(1024) },
      { path: 'empty', text: '' },
    ];
    const bytes = writeTar(files);
    expect(writeTar(files)).toEqual(bytes);
    expect(readTar(bytes)).toEqual(files);
    expect(() => readTar(bytes.subarray(0, bytes.length - 1024))).toThrow(/no end/);
    const dir = mkdtempSync(join(tmpdir(), 'filepath-tar-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(join(dir, 'w.tar'), bytes);
    execFileSync('tar', ['-xf', 'w.tar'], { cwd: dir });
    for (const { path, text } of files) expect(readFileSync(join(dir, path), 'utf8')).toBe(text);
  });
});

describe('tools for texts', () => {
  const TEXT = `# Trains
Trains are fast. Trains run on rails and trains carry people. My lunch was fine.
See https://example.com/a and https://example.com/a or mail me@example.com by 2026-05-01 for 3,50 or 7.`;

  it('[TOOL8] summarize picks sentences, the same ones each time', async () => {
    const it = started();
    const first = await it.call('summarize', { text: TEXT, max_chars: 60 });
    expect(first.output).toMatchObject({ summary: expect.stringContaining('trains') });
    expect(String(first.output['summary']).length).toBeLessThanOrEqual(60);
    expect(String(first.output['summary'])).not.toContain('lunch');
    expect(await it.call('summarize', { text: TEXT, max_chars: 60 })).toEqual(first);
  });

  it('[TOOL8] extract finds what there is, each once', async () => {
    const it = started({ ...LIMITS, calls: 20 });
    await it.call('write', { path: 't.md', text: TEXT });
    const items = async (what: string) =>
      (await it.call('extract', { path: 't.md', what })).output['items'];
    expect(await items('links')).toEqual(['https://example.com/a']);
    expect(await items('emails')).toEqual(['me@example.com']);
    expect(await items('dates')).toEqual(['2026-05-01']);
    expect(await items('headings')).toEqual(['# Trains']);
    expect(await items('numbers')).toContain('3,50');
    const json = { text: '{"a":[{"b~/c":1}]}', what: 'json' };
    expect((await it.call('extract', { ...json, pointer: '/a/0/b~0~1c' })).output).toMatchObject({
      value: '1',
    });
    expect((await it.call('extract', { ...json, pointer: '/constructor' })).ok).toBe(false);
    expect((await it.call('extract', { text: '{', what: 'json' })).ok).toBe(false);
    expect((await it.call('extract', { what: 'links' })).ok).toBe(false);
  });
});
