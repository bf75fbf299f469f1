import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSandbox } from '../src/index.ts';
import { DENIED, numberOn } from '../src/seccomp/syscalls.ts';
import { Bench, shellOrder, tempDir } from './setup.ts';

const arch = process.arch === 'arm64' ? 'arm64' : 'x64';

/** What an agent that runs this script prints, one line of standard error or output each. */
async function said(script: string): Promise<string[]> {
  const bench = await Bench.open();
  const order = shellOrder(`exec 2>&1; ${script}`);
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('exit', () => thread.exit !== undefined);
  return thread.texts;
}

/** `name: EPERM` and the like, by way of perl. */
const perl = (name: string, call: string): string =>
  `perl -e 'use Errno; $! = 0; my $r = ${call};
    my ($e) = grep { $!{$_} } qw(EPERM ENOSYS ENOTTY EINVAL EAFNOSUPPORT);
    print "${name}: ", (defined $r && $r ne "-1" ? "done" : $e // $!), "\\n"'`;

/** A bubblewrap that loses one option. */
const FORGETFUL = `#!/usr/bin/perl
use POSIX;
open(my $in, '<&=', 9); local $/; my $options = <$in>;
$options =~ s/--seccomp\\x004\\x00//;
pipe(my $read, my $write); print $write $options; close $write;
POSIX::dup2(fileno($read), 9);
exec '/usr/bin/bwrap', @ARGV;
`;

describe('system calls in the sandbox', () => {
  it('[RUN16] counts as no sandbox without its filter', async () => {
    const dir = tempDir();
    chmodSync(dir, 0o755);
    writeFileSync(join(dir, 'bwrap'), FORGETFUL, { mode: 0o755 });
    const { available, reason } = await checkSandbox({ PATH: dir });
    expect({ available, reason }).toEqual({
      available: false,
      reason: expect.stringMatching(/self-test: no filter of system calls/),
    });
  });

  it('[RUN16] T23: nothing can be typed into a terminal', async () => {
    const script = [
      perl('TIOCSTI', 'ioctl(STDIN, 0x5412, my $c = "x")'),
      perl('TIOCLINUX', 'ioctl(STDIN, 0x541C, my $c = "x")'),
      perl('TCGETS', 'ioctl(STDIN, 0x5401, my $c = "x" x 256)'),
    ];
    expect(await said(script.join('\n'))).toEqual([
      'TIOCSTI: EPERM',
      'TIOCLINUX: EPERM',
      'TCGETS: ENOTTY',
    ]);
  });

  it('[RUN16] refuses every call that no agent needs', async () => {
    const names = Object.entries(DENIED);
    const script = names.map(([name, numbers]) =>
      perl(name, `syscall(${numberOn(arch, numbers)}, 0, 0, 0, 0, 0)`),
    );
    expect(await said(script.join('\n'))).toEqual(names.map(([name]) => `${name}: EPERM`));
  });

  it('[RUN16] refuses namespaces, mounts and sockets below the internet', async () => {
    const lines = await said(
      `unshare --user true && echo nested
      mount -t tmpfs none /tmp && echo mounted
      ${perl('packet', 'socket(my $s, 17, 3, 0)')}
      ${perl('crypto', 'socket(my $s, 38, 5, 0)')}
      ${perl('vsock', 'socket(my $s, 40, 1, 0)')}
      ${perl('unix', 'socket(my $s, 1, 1, 0)')}
      ${perl('inet', 'socket(my $s, 2, 1, 0)')}`,
    );
    expect(lines[0]).toMatch(/unshare failed: Operation not permitted/);
    expect(lines[1]).toMatch(/^mount: /);
    expect(lines.slice(-5)).toEqual([
      'packet: EPERM',
      'crypto: EPERM',
      'vsock: EPERM',
      'unix: done',
      'inet: done',
    ]);
  });

  it('[RUN16] runs ordinary programs: shells, git, perl, and Node and Python where the system has them', async () => {
    const lines = await said(
      `grep -E '^Seccomp:' /proc/self/status | tr '\\t' ' '
      echo one | cat | tail -n 1
      git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first && git log --format=%s
      perl -e 'print "perl\\n"'
      [ ! -x /usr/bin/node ] || node -e 'require("os").networkInterfaces();
        new (require("worker_threads").Worker)("1", { eval: true }).on("exit", (code) => code && console.log("node", code))'
      [ ! -x /usr/bin/python3 ] || /usr/bin/python3 -c 'import subprocess, threading
t = threading.Thread(target=lambda: subprocess.check_call(["true"])); t.start(); t.join()'
      echo end`,
    );
    expect(lines).toEqual(['Seccomp: 2', 'one', 'first', 'perl', 'end']);
  });
});
