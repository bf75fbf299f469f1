import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newThreadId, type ToolDone, type ToolWork } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { Bench } from './setup.ts';

const thread = newThreadId();
const A = { path: 'a.txt', text: 'one\n' };

async function done(
  bench: Bench,
  tool: ToolWork['tool'],
  args: unknown,
  files = [A],
): Promise<ToolDone> {
  await bench.worker.until('a hello', () => bench.worker.connected);
  const answer = await bench.worker.ask({ kind: 'tool', work: { thread, tool, args, files } });
  if (answer.kind !== 'tool') throw new Error(JSON.stringify(answer));
  return answer.done;
}

describe('[TUN12] a tool of a chat in a sandbox', () => {
  it('runs a command on a copy of the files, and tells what became of them', async () => {
    const bench = await Bench.open();
    const command = 'cat a.txt; echo two >> a.txt; mkdir -p d; echo x > d/b; echo oops >&2; exit 3';
    expect(await done(bench, 'bash', { command })).toEqual({
      ok: true,
      output: { exit: 3, text: 'one\noops\n', changed: ['a.txt', 'd/b'], removed: [] },
      changed: [
        { path: 'a.txt', text: 'one\ntwo\n' },
        { path: 'd/b', text: 'x\n' },
      ],
      removed: [],
    });
    expect(await done(bench, 'bash', { command: 'rm a.txt' })).toMatchObject({
      removed: ['a.txt'],
      changed: [],
    });
    expect(readdirSync(join(bench.home, 'chat-tools'))).toEqual([]);
  });

  it('reads, edits and writes with the outcomes that the worker has', async () => {
    const bench = await Bench.open();
    expect(await done(bench, 'read', { path: 'a.txt' })).toMatchObject({
      ok: true,
      output: { text: 'one', lines: 1 },
      changed: [],
    });
    expect(await done(bench, 'edit', { path: 'a.txt', old: 'one', new: 'two' })).toMatchObject({
      ok: true,
      change: { path: 'a.txt' },
      changed: [{ path: 'a.txt', text: 'two\n' }],
    });
    expect(await done(bench, 'edit', { path: 'b', old: 'x', new: 'y' })).toMatchObject({
      ok: false,
      code: 'not_found',
    });
  });

  it('reaches nothing of the machine: no files, no network, no links out, and no other time than its own', async () => {
    const bench = await Bench.open();
    const look = `ls ${bench.home} /root 2>&1; id -u; ls /sys/class/net /proc/net/route 2>/dev/null; wc -l < /proc/net/route`;
    const seen = (await done(bench, 'bash', { command: look })).output['text'];
    expect(seen).toMatch(/No such file|cannot access|denied/);
    expect(String(seen)).not.toContain('runner');
    expect(String(seen).trim().split('\n').at(-1)).toBe('1');
    const link = await done(bench, 'bash', {
      command:
        'ln -s /etc/passwd link; ln -s /etc folder; head -c 9 /dev/urandom > bin; echo y > y',
    });
    expect(link.changed).toEqual([{ path: 'y', text: 'y\n' }]);
    expect(existsSync(join(bench.home, 'chat-tools', 'link'))).toBe(false);
  });

  it('is given nothing that git would run, and takes nothing of it back', async () => {
    const bench = await Bench.open();
    const files = [A, { path: '.git/objects/info/alternates', text: '/etc' }];
    const made = await done(
      bench,
      'bash',
      { command: 'ls -A; mkdir .git; echo x > .git/config' },
      files,
    );
    expect(made).toMatchObject({ output: { text: 'a.txt\n' }, changed: [], removed: [] });
  });
});
