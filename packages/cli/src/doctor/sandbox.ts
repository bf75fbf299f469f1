import {
  atLeast,
  type Check,
  fail,
  installCommand,
  type Machine,
  ok,
  versionIn,
  warn,
} from './check.ts';

/** The first that has every flag that the sandbox uses. */
const LEAST_BWRAP = '0.8.0';

const SYSCTLS = [
  { path: '/proc/sys/user/max_user_namespaces', bad: '0', fix: 'user.max_user_namespaces=15000' },
  {
    path: '/proc/sys/kernel/unprivileged_userns_clone',
    bad: '0',
    fix: 'kernel.unprivileged_userns_clone=1',
  },
  {
    path: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    bad: '1',
    fix: 'kernel.apparmor_restrict_unprivileged_userns=0',
  },
];

const TRIAL = [
  '--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --die-with-parent --new-session',
  '--cap-drop ALL --clearenv --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib',
  '--symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp -- /usr/bin/true',
].flatMap((flags) => flags.split(' '));

export async function checkSandbox(machine: Machine): Promise<Check[]> {
  if (machine.platform !== 'linux') {
    return [warn('bubblewrap', `not on ${machine.platform}: agents run in containers`)];
  }
  return [await checkBubblewrap(machine), checkUserNamespaces(machine), checkCgroups(machine)];
}

async function checkBubblewrap(machine: Machine): Promise<Check> {
  const found = await machine.run('bwrap', ['--version']);
  const version = found?.code === 0 ? versionIn(found.stdout) : null;
  const install = installCommand(machine, 'bubblewrap');
  if (version === null) return fail('bubblewrap', 'not found; agents are refused', install);
  if (!atLeast(version, LEAST_BWRAP)) {
    return fail('bubblewrap', `${version} is older than ${LEAST_BWRAP}`, install);
  }
  const ran = await machine.run('bwrap', TRIAL);
  if (ran?.code === 0) return ok('bubblewrap', `${version}, and a sandbox runs`);
  const why = ran?.stderr.trim().split('\n').at(-1) || 'it gave no reason';
  return fail(
    'bubblewrap',
    `${version}, but no sandbox runs: ${why}`,
    restrictions(machine)[0] ??
      'in a container, start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined',
  );
}

export function checkUserNamespaces(machine: Machine): Check {
  const [fix] = restrictions(machine);
  if (fix !== undefined) return fail('user namespaces', 'turned off by the kernel', fix);
  const most = machine.read('/proc/sys/user/max_user_namespaces')?.trim();
  if (most === undefined) {
    return warn('user namespaces', 'this kernel does not say whether it has them');
  }
  return ok('user namespaces', `at most ${most}`);
}

function restrictions(machine: Machine): string[] {
  const sudo = machine.isRoot ? '' : 'sudo ';
  return SYSCTLS.filter(({ path, bad }) => machine.read(path)?.trim() === bad).map(
    ({ fix }) => `${sudo}sysctl -w ${fix}`,
  );
}

const WANTED = ['memory', 'pids', 'cpu'];

/** Without cgroups agents are held by rlimits only, so this never fails. */
export function checkCgroups(machine: Machine): Check {
  const v2 = machine.read('/sys/fs/cgroup/cgroup.controllers');
  const version = v2 === null ? 'v1' : 'v2';
  const have = v2 === null ? v1Controllers(machine) : v2.trim().split(/\s+/);
  const missing = WANTED.filter((name) => !have.includes(name));
  if (missing.length === 0) return ok('cgroups', `${version}: ${WANTED.join(', ')}`);
  return warn(
    'cgroups',
    `${version} without ${missing.join(', ')}: agents are limited by rlimits only`,
    'boot with systemd.unified_cgroup_hierarchy=1, or give the container its cgroups: --cgroupns=private',
  );
}

/** Enabled and mounted: a line `7:memory:/path` of this process names both. */
function v1Controllers(machine: Machine): string[] {
  const enabled = (machine.read('/proc/cgroups') ?? '')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([name, , , on]) => name !== undefined && !name.startsWith('#') && on === '1')
    .map(([name]) => name);
  return (machine.read('/proc/self/cgroup') ?? '')
    .split('\n')
    .flatMap((line) => line.split(':')[1]?.split(',') ?? [])
    .filter((name) => name !== '' && enabled.includes(name));
}
