import type { Limits } from '@filepath/protocol';
import {
  atLeast,
  type Check,
  fail,
  installCommand,
  type Machine,
  ok,
  stillWorks,
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

/** Nothing of these needs a sandbox. */
const WITHOUT_SANDBOXES =
  'the page, sessions and their history, exports; agents with an image, where there are containers';

export async function checkSandbox(machine: Machine): Promise<Check[]> {
  if (machine.platform !== 'linux') {
    return [warn('bubblewrap', `not on ${machine.platform}: agents run in containers`)];
  }
  return [
    stillWorks(await checkBubblewrap(machine), WITHOUT_SANDBOXES),
    stillWorks(checkUserNamespaces(machine), WITHOUT_SANDBOXES),
    checkLimits(machine, await machine.limits()),
  ];
}

async function checkBubblewrap(machine: Machine): Promise<Check> {
  const found = await machine.run('bwrap', ['--version']);
  const version = found?.code === 0 ? versionIn(found.stdout) : null;
  const install = installCommand(machine, 'bubblewrap');
  if (version === null) {
    return fail('bubblewrap', 'not found: agents with a command are refused', install);
  }
  if (!atLeast(version, LEAST_BWRAP)) {
    return fail('bubblewrap', `${version} is older than ${LEAST_BWRAP}`, install);
  }
  const { available, reason } = await machine.sandbox();
  if (available) return ok('bubblewrap', `${version}, and a sandbox runs`);
  const why = reason?.replaceAll(/\s+/g, ' ') ?? 'it gave no reason';
  return fail(
    'bubblewrap',
    `${version}, but no sandbox runs, so agents with a command are refused: ${why}`,
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

const WORDS = { memory: 'memory', pids: 'processes', cpu: 'CPU time' } as const;

/** Without cgroups agents run all the same, so this fails only where the settings keep filepath from starting. */
export function checkLimits(machine: Machine, limits: Limits | string): Check {
  if (typeof limits === 'string') {
    return fail('cgroups', limits, `unset ${/FILEPATH_\w+/.exec(limits)?.[0] ?? 'the variable'}`);
  }
  const held = (by: Limits['memory']): string =>
    (['memory', 'pids', 'cpu'] as const)
      .filter((name) => limits[name] === by)
      .map((name) => WORDS[name])
      .join(', ');
  const groups = (['cgroup-v2', 'cgroup-v1'] as const)
    .filter((by) => held(by) !== '')
    .map((by) => `v${by.at(-1)} for ${held(by)}`);
  const alone = held('rlimit') === '' ? [] : [`${held('rlimit')} of each process by itself`];
  const none = held('none') === '' ? [] : [`${held('none')} not at all`];
  if (alone.length + none.length === 0) return ok('cgroups', groups.join('; '));
  const usable = groups.length === 0 ? 'none that this user can use' : groups.join('; ');
  const text = `${usable}: limited is ${[...alone, ...none].join('; ')}`;
  const busy = none.length > 0 ? 'a busy agent may slow the others down' : 'an agent may use more';
  return stillWorks(
    warn('cgroups', text, limitsFix(machine)),
    `agents run, and so does everything else; ${busy}`,
  );
}

function limitsFix(machine: Machine): string {
  return machine.isRoot
    ? 'boot with systemd.unified_cgroup_hierarchy=1, or give the container its cgroups: --cgroupns=private'
    : 'systemd-run --user --scope npm start    # or run filepath as a service: docs/how-to/run-on-a-server.md';
}
