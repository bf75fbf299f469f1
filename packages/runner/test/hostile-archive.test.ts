import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSnapshot } from '../src/snapshot/restore.ts';
import { archive, end, member, type Member, patched, streamOf } from './snapshot-archive.ts';
import { tempDir } from './setup.ts';

const file = (path: string, content = 'x'): Member => ({ path: `workspace/${path}`, content });
const folder = (path: string): Member => ({ path: `workspace/${path}/`, kind: 'directory' });
const link = (path: string, target: string): Member => ({
  path: `workspace/${path}`,
  kind: 'link',
  target,
});
const typed = (type: string, path = 'workspace/x'): Buffer => patched(member({ path }), 156, type);
const check = (bytes: Buffer): Promise<void> => checkSnapshot(streamOf(bytes));

describe('[SNAP5] an archive', () => {
  it('with files, folders and links that stay inside passes', async () => {
    const long = `${'d'.repeat(90)}/${'f'.repeat(200)}`;
    await check(
      archive(
        file('a'),
        folder('b'),
        file('b/c'),
        link('b/d', '../a'),
        folder(`b/${'d'.repeat(90)}`),
        link(`b/${'d'.repeat(90)}/e`, `../../${'x'.repeat(150)}`),
        file(`b/${long}`),
        link('z', 'b/./c'),
      ),
    );
  });

  it.each<[string, string, (Member | Buffer)[]]>([
    ['an absolute path', 'outside of the workspace', [{ path: '/etc/passwd', content: 'x' }]],
    ['a path beside the workspace', 'outside', [{ path: 'other', content: 'x' }]],
    ['a twin of its prefix', 'outside', [{ path: 'workspace2/x', content: 'x' }]],
    ['..', 'no plain path', [file('../x')]],
    ['.. further down', 'no plain path', [folder('a'), file('a/../../x')]],
    ['.', 'no plain path', [file('./x')]],
    ['an empty name', 'no plain path', [file('a//x')]],
    ['a path without its folder', 'no folder that came before', [file('a/b')]],
    ['a file in a file', 'no folder that came before', [file('a'), file('a/b')]],
    ['a file through a link', 'no folder', [link('a', 'b'), file('a/b')]],
    [
      'a folder that becomes a link',
      'twice or out of order',
      [folder('a'), link('a', 'b'), file('a/b')],
    ],
    ['a link that becomes a file', 'twice', [link('a', 'b'), file('a')]],
    ['a link that becomes a folder', 'twice', [link('a', 'b'), folder('a'), file('a/b')]],
    ['a file twice', 'twice', [file('a'), file('b'), file('a')]],
    ['a second workspace', 'no plain path', [{ path: 'workspace/', kind: 'directory' }]],
    ['an absolute link', 'leads out', [link('a', '/etc/passwd')]],
    ['a link that leaves', 'leads out', [folder('a'), link('a/b', '../../x')]],
    ['a link that goes up after down', 'leads out', [link('a', 'b/../../x')]],
    ['a link through a link', 'leads out', [link('a', 'b/c/../x')]],
    ['an empty link', 'leads out', [link('a', '')]],
    ['a hard link', 'of a kind', [typed('1')]],
    ['a device', 'not written as', [typed('3')]],
    ['a block device', 'not written as', [typed('4')]],
    ['a pipe', 'not written as', [typed('6')]],
    ['a contiguous file', 'of a kind', [typed('7')]],
    ['an old file', 'of a kind', [typed('\0')]],
    ['a sparse file', 'of a kind', [typed('S')]],
    ['a multi-volume file', 'of a kind', [typed('M')]],
    ['a volume label', 'of a kind', [typed('V')]],
    ['an extended header', 'of a kind', [typed('x')]],
    ['a global header', 'of a kind', [typed('g')]],
    ['a setuid file', 'special rights', [{ ...file('a'), mode: 0o4755 }]],
    [
      'a size in base 256',
      'not octal',
      [patched(member(file('a')), 124, '\x80\0\0\0\0\0\0\0\0\0\0\x01')],
    ],
    ['a negative number', 'not octal', [patched(member(file('a')), 100, '-000001')]],
    ['another format', 'another tar format', [patched(member(file('a')), 257, 'ustar\x0000')]],
    ['a name in the prefix', 'not written as', [patched(member(file('a')), 345, '../../etc')]],
    ['an owner', 'not written as', [patched(member(file('a')), 108, '0001750')]],
    ['bytes after a name', 'not written as', [patched(member(file('a')), 20, '../../x')]],
    ['a link with content', 'content', [patched(member(link('a', 'b')), 124, '00000000001')]],
    ['a long name for a short one', 'not written as', [longFor('workspace/a')]],
    ['a long name without a member', 'has no member', [longFor('workspace/a').subarray(0, 1024)]],
    ['two long names', 'two long names', [longFor('a').subarray(0, 1024), longFor('b')]],
    ['a zero in a long name', 'holds a zero', [longFor(`workspace/${'a'.repeat(120)}\0../x`)]],
    [
      'a long name without an end',
      'too long',
      [patched(longFor('a'.repeat(9)), 124, '00777777777')],
    ],
    ['a wrong checksum', 'checksum', [Buffer.from(member(file('a'))).fill('b', 10, 11)]],
    ['a name of 256 bytes', 'no plain path', [file('a'.repeat(256))]],
    ['a path of 5000 bytes', 'too long', [file(`${'a/'.repeat(2500)}x`)]],
    ['bytes in a gap', 'gap', [Buffer.from(member(file('a'))).fill('!', 600, 601)]],
    ['something after its end', 'after its end', [Buffer.concat([end, member(file('a'))])]],
  ])('with %s is refused whole', async (_, reason, members) => {
    await expect(check(archive(file('0'), ...members))).rejects.toThrow(reason);
  });

  it('nested too deep is refused', async () => {
    const names = Array.from({ length: 300 }, (_, n) => 'd/'.repeat(n + 1));
    const members = names.map((path): Member => ({ path: `workspace/${path}`, kind: 'directory' }));
    await expect(check(archive(...members))).rejects.toThrow('too deep');
  });

  it.each([0, 100, 512, 4608, 5120, 5200, 5632, 6000])(
    'cut after %i bytes is refused',
    async (at) => {
      const whole = archive(file('a', 'y'.repeat(600)));
      await expect(check(whole.subarray(0, at))).rejects.toThrow(/cut short/);
    },
  );

  it('without a manifest, or without a workspace, is refused', async () => {
    const bare = Buffer.concat([member({ path: 'workspace/', kind: 'directory' }), end]);
    await expect(check(bare)).rejects.toThrow('does not begin with a manifest');
    await expect(check(archive().subarray(0, 4608 + 0))).rejects.toThrow('cut short');
    const none = Buffer.concat([archive().subarray(0, 4608), end]);
    await expect(check(none)).rejects.toThrow('no workspace');
  });

  it('of another program is refused, whatever is in it', async () => {
    const dir = tempDir();
    mkdirSync(join(dir, 'workspace'));
    writeFileSync(join(dir, 'workspace', 'a'), 'a');
    for (const format of ['gnu', 'pax', 'ustar', 'v7', 'oldgnu']) {
      const bytes = execFileSync('tar', ['-C', dir, '-cf', '-', `--format=${format}`, 'workspace']);
      await expect(check(bytes)).rejects.toThrow();
    }
    const zip = execFileSync('tar', ['-C', dir, '-czf', '-', 'workspace']);
    await expect(check(zip)).rejects.toThrow();
  });
});

function longFor(name: string): Buffer {
  // Written for a name that is long, then cut to this one.
  const whole = member({ path: 'l'.repeat(120) });
  const size = (name.length + 1).toString(8).padStart(11, '0');
  const head = patched(whole.subarray(0, 512), 124, size);
  const data = Buffer.alloc(512);
  data.write(name, 'latin1');
  const rest = patched(whole.subarray(1024), 0, name.padEnd(100, '\0').slice(0, 100));
  return Buffer.concat([head, data, rest]);
}
