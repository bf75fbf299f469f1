import { tempDir } from '@filepath/testkit';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = join(ROOT, 'packages/cli/dist/filepath.js');
const USER = 65534;
const isRoot = process.getuid?.() === 0;

type Read = { code: number | null; lines: string[]; of(name: string): string[] };

/** What a person reads who runs doctor in a mount namespace of its own, after a script has changed the machine. */
function doctor(script: string, path = '/usr/sbin:/usr/bin:/sbin:/bin', as = ''): Read {
  using home = tempDir('home');
  // This repository may be below a directory that only root may enter: others see it at /mnt.
  const seen = (file: string): string => join('/mnt', relative(ROOT, file));
  const node = relative(ROOT, process.execPath).startsWith('..')
    ? process.execPath
    : seen(process.execPath);
  const whole = `mount --bind "$1" /mnt || exit 125
    ${script}
    exec ${as} env -i PATH=${path} HOME=/tmp FILEPATH_HOME=/tmp/none-${process.pid} FILEPATH_PORT=1 "$2" "$3" doctor`;
  const unshare = ['--mount', '--propagation', 'private', ...(isRoot ? [] : ['--user', '-r'])];
  const ran = spawnSync(
    '/usr/bin/unshare',
    [...unshare, 'sh', '-c', whole, 'sh', ROOT, node, seen(CLI)],
    {
      encoding: 'utf8',
      cwd: home.path,
      timeout: 60_000,
    },
  );
  const lines = `${ran.stdout}${ran.stderr}`.trimEnd().split('\n');
  const of = (name: string): string[] => {
    const at = lines.findIndex((line) => new RegExp(`^(ok|warn|fail) +${name}  `).test(line));
    const end = lines.findIndex((line, index) => index > at && !line.startsWith('      '));
    return at < 0 ? lines : lines.slice(at, end).map((line) => line.replaceAll(/ +/g, ' ').trim());
  };
  return { code: ran.status, lines, of };
}

/** A PATH with everything the system has but these. */
function pathWithout(programs: readonly string[], dir: string): string {
  for (const folder of ['/usr/sbin', '/usr/bin', '/sbin', '/bin']) {
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      if (programs.includes(name)) continue;
      try {
        symlinkSync(join(folder, name), join(dir, name));
      } catch {
        // Of the same name as another.
      }
    }
  }
  return dir;
}

const WORKS =
  'works: the page, sessions and their history, exports; agents with an image, where there are containers';

it('[CLI2] doctor on a machine without bubblewrap and without containers', () => {
  using bin = tempDir('bin');
  const path = pathWithout(['bwrap', 'podman', 'docker'], bin.path);
  const read = doctor(`chmod 755 ${path}; mount -t tmpfs none /run`, path);
  expect(read.of('bubblewrap')).toEqual([
    'fail bubblewrap not found: agents with a command are refused',
    WORKS,
    expect.stringMatching(/^fix: .* bubblewrap$/),
  ]);
  expect(read.of('containers')[0]).toMatch(/^warn containers /);
  expect(read.of('containers').at(-1)).toMatch(/^fix: /);
  expect(read.of('git')[0]).toMatch(/^ok git \d/);
  expect(read.lines.at(-1)).toBe('Something necessary is missing: see "fix" above.');
  expect(read.code).toBe(1);
});

/**
 * A user namespace has a setting of its own, which holds for whoever is in it. Root maps every user into it from outside;
 * a program that is started after that is its root.
 */
const NAMESPACE = `own=$(readlink /proc/self/ns/user)
mkfifo /run/go
unshare --user sh -c 'read go < /run/go; exec sh /run/inside "$@"' sh "$@" &
while [ "$(readlink /proc/$!/ns/user)" = "$own" ]; do :; done
for map in uid_map gid_map; do echo 0 0 100000 > /proc/$!/$map || exit 125; done
echo go > /run/go
wait $!`;
const INSIDE = `echo 0 > /proc/sys/user/max_user_namespaces || exit 125
exec ${isRoot ? `setpriv --reuid ${USER} --regid ${USER} --clear-groups` : ''} "$@"`;

it('[CLI2] doctor on a machine whose user may make no namespaces', () => {
  const write = (name: string, text: string): string => `cat > /run/${name} <<'EOF'\n${text}\nEOF`;
  const script = ['mount -t tmpfs none /run', write('outside', NAMESPACE), write('inside', INSIDE)];
  const as = `sh /run/${isRoot ? 'outside' : 'inside'}`;
  const read = doctor(script.join('\n'), undefined, as);
  const fix = expect.stringMatching(/^fix: (sudo )?sysctl -w user\.max_user_namespaces=15000$/);
  expect(read.of('user namespaces')).toEqual([
    'fail user namespaces turned off by the kernel',
    WORKS,
    fix,
  ]);
  const [line, works, last] = read.of('bubblewrap');
  expect(line).toMatch(/^fail bubblewrap [\d.]+, but no sandbox runs, so agents .* are refused: /);
  expect([works, last]).toEqual([WORKS, fix]);
  expect(read.code).toBe(1);
});

it('[CLI2] doctor on a machine without control groups: agents run, and it says what does not hold them', () => {
  const read = doctor('mount -t tmpfs none /sys/fs/cgroup');
  expect(read.of('cgroups')).toEqual([
    'warn cgroups none that this user can use: limited is memory, processes of each process by itself; CPU time not at all',
    'works: agents run, and so does everything else; a busy agent may slow the others down',
    expect.stringMatching(/^fix: /),
  ]);
  expect(read.of('bubblewrap')[0]).toMatch(/and a sandbox runs$/);
  expect(read.lines.at(-1)).toBe('filepath can run here.');
  expect(read.code).toBe(0);
});
