import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, makeRepo } from '@filepath/testkit';
import { describe, expect, it } from 'vitest';
import { bashTool } from '../../../src/native/tools/bash.ts';
import { gitTool } from '../../../src/native/tools/git.ts';
import { kit, use } from './tool-kit.ts';

/** Ended, whether or not whoever has inherited it has already asked how. */
function gone(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return true;
  }
}

describe('bash', () => {
  it('[LOOP32] keeps the beginning and the end of what is printed', async () => {
    const made = kit();
    const command = 'echo first; head -c 5000000 /dev/zero | tr "\\0" x; echo; echo last';
    const { text, ok } = await use(bashTool(made), { command });
    expect(ok).toBe(true);
    expect(text.length).toBeLessThan(70_000);
    expect(text).toMatch(/^exit 0\nstdout:\nfirst\n[^]*bytes left out[^]*last\n$/);
  });

  it('[LOOP32] ends a command at its time, with everything it started, also what ignores TERM', async () => {
    const made = kit();
    const command = `trap '' TERM; sleep 300 & echo $! > child; while :; do sleep 1; done`;
    const started = Date.now();
    const result = await use(bashTool(made), { command, timeout: 3 });
    expect(result).toMatchObject({ ok: false });
    expect(result.text).toContain('ended after 3 seconds');
    expect(Date.now() - started).toBeLessThan(60_000);
    const child = Number(readFileSync(join(made.place.workspace, 'child'), 'utf8'));
    await expect.poll(() => gone(child)).toBe(true);
  });

  it('[LOOP32] does not wait for what a command left in the background', async () => {
    const made = kit();
    const started = Date.now();
    const result = await use(bashTool(made), { command: 'sleep 100 & echo $!; exit 3' });
    expect(result).toMatchObject({ ok: false, detail: { exit: 3 } });
    expect(Date.now() - started).toBeLessThan(50_000);
    process.kill(Number(/stdout:\n(\d+)/.exec(result.text)?.[1]), 'SIGKILL');
  });

  it('[LOOP6] an interruption ends it', async () => {
    const made = kit();
    const stop = new AbortController();
    const running = use(bashTool(made), { command: 'touch there; sleep 300' }, stop.signal);
    await expect.poll(() => existsSync(join(made.place.workspace, 'there'))).toBe(true);
    stop.abort();
    expect((await running).text).toContain('interrupted');
  });
});

describe('git', () => {
  it('commits all changes or some, under its own name where none is configured', async () => {
    const made = kit();
    const { workspace } = made.place;
    makeRepo(workspace);
    await use(bashTool(made), { command: 'echo 1 > a; echo 2 > b' });
    const commit = gitTool(made);
    expect(await use(commit, { action: 'commit', message: 'feat: a', paths: ['a'] })).toMatchObject(
      {
        ok: true,
      },
    );
    expect(git(workspace, 'status', '--short')).toBe('?? b');
    expect(git(workspace, 'log', '-1', '--format=%an %s')).toBe('shelley feat: a');
    expect((await use(commit, { action: 'commit' })).text).toBe('A commit needs a message.');
    expect((await use(commit, { action: 'status' })).text).toContain('?? b');
    expect((await use(commit, { action: 'log', ref: '--output=x' })).text).toContain('no commit');
  });
});
