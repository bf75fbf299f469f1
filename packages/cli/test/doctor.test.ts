import { describe, expect, it } from 'vitest';
import { doctor } from '../src/commands/doctor.ts';
import { atLeast, installCommand, type Machine, type Ran } from '../src/doctor/check.ts';
import { checkDisk, checkPort } from '../src/doctor/place.ts';
import { checkAgents, checkContainers, checkGit, checkNode } from '../src/doctor/programs.ts';
import { checkLimits, checkSandbox, checkUserNamespaces } from '../src/doctor/sandbox.ts';
import { thisMachine } from '../src/doctor/this-machine.ts';
import { recordedIo } from './io.ts';

const said = (stdout: string, code = 0, stderr = ''): Ran => ({ code, stdout, stderr });
const DEBIAN = 'NAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="12"\n';
const GROUPS = { memory: 'cgroup-v1', pids: 'cgroup-v1', cpu: 'cgroup-v1' } as const;

type Given = {
  programs?: Record<string, (args: string[]) => Ran>;
  files?: Record<string, string>;
  machine?: Partial<Machine>;
};

function machine({ programs = {}, files = {}, machine: more = {} }: Given = {}): Machine {
  const all: Record<string, string> = {
    '/etc/os-release': DEBIAN,
    '/proc/sys/user/max_user_namespaces': '96343\n',
    ...files,
  };
  return {
    platform: 'linux',
    nodeVersion: '24.21.0',
    isRoot: false,
    run: async (file, args) => programs[file]?.(args) ?? null,
    sandbox: async () => ({ available: true }),
    limits: async () => GROUPS,
    containers: async () => ({ reason: 'no socket' }),
    agents: async () => ({ missing: [], faults: [] }),
    read: (path) => all[path] ?? null,
    freeBytes: async () => 50 * 1024 ** 3,
    listen: async () => null,
    ...more,
  };
}

const bwrap = (version: string) => () => said(`bubblewrap ${version}\n`);

describe('programs', () => {
  it('[CLI2] wants a Node that is new enough', () => {
    expect(checkNode(machine())).toEqual({ name: 'node', state: 'ok', text: '24.21.0' });
    expect(checkNode(machine({ machine: { nodeVersion: '20.19.1' } }))).toMatchObject({
      state: 'fail',
      text: '20.19.1 is older than 22.12',
    });
    expect(atLeast('22.12.0', '22.12')).toBe(true);
    expect(atLeast('22.2.0', '22.12')).toBe(false);
  });

  it('[CLI2] says how to install git here', async () => {
    const git = () => said('git version 2.39.5 (Apple Git-154)\n');
    expect(await checkGit(machine({ programs: { git } }))).toMatchObject({
      state: 'ok',
      text: '2.39.5',
    });
    expect(await checkGit(machine())).toMatchObject({
      state: 'fail',
      fix: 'sudo apt-get install -y git',
    });
  });

  it.each([
    ['ID=alpine\n', 'sudo apk add git'],
    ['ID=arch\n', 'sudo pacman -S --noconfirm git'],
    ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'sudo dnf install -y git'],
    ['ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', 'sudo zypper install -y git'],
    ['ID=ubuntu\nID_LIKE=debian\n', 'sudo apt-get install -y git'],
  ])('[CLI2] knows the package manager of %j', (release, command) => {
    const one = machine({ files: { '/etc/os-release': release } });
    expect(installCommand(one, 'git')).toBe(command);
  });

  it('[CLI2] [CTR12] asks the engine of containers by its socket, and says what works without', async () => {
    const answering = { containers: async () => ({ version: 'podman 4.3.1' }) };
    expect(await checkContainers(machine({ machine: answering }))).toMatchObject({
      state: 'ok',
      text: 'podman 4.3.1 answers',
    });
    expect(await checkContainers(machine())).toMatchObject({
      state: 'warn',
      text: 'no socket; agents with a command run without',
      fix: 'sudo apt-get install -y podman',
    });
    const podman = () => said('podman version 4.3.1\n');
    expect(await checkContainers(machine({ programs: { podman } }))).toMatchObject({
      fix: 'systemctl --user enable --now podman.socket',
    });
    const docker = () => said('Docker version 27.0\n');
    expect(await checkContainers(machine({ programs: { docker } }))).toMatchObject({
      fix: 'sudo systemctl start docker',
    });
    const mac = machine({ machine: { platform: 'darwin' } });
    expect(await checkContainers(mac)).toMatchObject({
      state: 'fail',
      text: 'no socket; agents cannot run',
      fix: 'brew install podman',
    });
  });

  it('[CAT6] names the agents whose program is missing, which is no fault', async () => {
    const here = (missing: string[], faults: string[] = []) =>
      checkAgents(machine({ machine: { agents: async () => ({ missing, faults }) } }), {});
    expect(await here([])).toMatchObject({ state: 'ok' });
    expect(await here(['codex', 'amp'])).toMatchObject({
      state: 'ok',
      text: 'not installed: codex, amp; see `filepath agents list`',
    });
    expect(await here([], ['x.json is left out: no'])).toMatchObject({
      state: 'warn',
      text: 'x.json is left out: no',
    });
  });
});

describe('sandbox', () => {
  it('[CLI2] runs a sandbox instead of believing that one would run', async () => {
    const good = machine({ programs: { bwrap: bwrap('0.8.0') } });
    expect((await checkSandbox(good)).map((check) => check.state)).toEqual(['ok', 'ok', 'ok']);

    const reason = 'the system does not permit the sandbox\n(bwrap: setting up uid map)';
    const files = { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1\n' };
    const sandbox = async () => ({ available: false, reason });
    const [check] = await checkSandbox(
      machine({ programs: { bwrap: bwrap('0.9.0') }, files, machine: { sandbox } }),
    );
    expect(check).toMatchObject({
      state: 'fail',
      text: '0.9.0, but no sandbox runs, so agents with a command are refused: the system does not permit the sandbox (bwrap: setting up uid map)',
      works: expect.stringContaining('agents with an image'),
      fix: 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
    });
  });

  it('[CLI2] says when bubblewrap is missing or old', async () => {
    const [missing] = await checkSandbox(machine({ machine: { isRoot: true } }));
    expect(missing).toMatchObject({ state: 'fail', fix: 'apt-get install -y bubblewrap' });
    const [old] = await checkSandbox(machine({ programs: { bwrap: bwrap('0.4.1') } }));
    expect(old).toMatchObject({ state: 'fail', text: '0.4.1 is older than 0.8.0' });
  });

  it.each([
    ['/proc/sys/user/max_user_namespaces', '0\n', 'user.max_user_namespaces=15000'],
    ['/proc/sys/kernel/unprivileged_userns_clone', '0\n', 'kernel.unprivileged_userns_clone=1'],
  ])('[CLI2] names the switch %s', (path, value, fix) => {
    expect(checkUserNamespaces(machine({ files: { [path]: value } }))).toMatchObject({
      state: 'fail',
      fix: `sudo sysctl -w ${fix}`,
    });
  });

  it('[CLI2] says what holds each limit, and what an agent may do where nothing does', () => {
    expect(checkLimits(machine(), GROUPS)).toEqual({
      name: 'cgroups',
      state: 'ok',
      text: 'v1 for memory, processes, CPU time',
    });
    const some = { ...GROUPS, memory: 'cgroup-v2', cpu: 'none' } as const;
    expect(checkLimits(machine(), some)).toMatchObject({
      state: 'warn',
      text: 'v2 for memory; v1 for processes: limited is CPU time not at all',
      works: 'agents run, and so does everything else; a busy agent may slow the others down',
      fix: expect.stringMatching(/^systemd-run --user --scope npm start/),
    });
    const root = machine({ machine: { isRoot: true } });
    expect(checkLimits(root, { memory: 'rlimit', pids: 'rlimit', cpu: 'none' })).toMatchObject({
      state: 'warn',
      text: 'none that this user can use: limited is memory, processes of each process by itself; CPU time not at all',
      fix: expect.stringMatching(/cgroupns/),
    });
    expect(checkLimits(root, 'FILEPATH_AGENT_PIDS is "x": set it')).toMatchObject({
      state: 'fail',
      fix: 'unset FILEPATH_AGENT_PIDS',
    });
  });
});

describe('place', () => {
  it('[CLI2] wants room on the disk', async () => {
    const free = (bytes: number | null) =>
      checkDisk(machine({ machine: { freeBytes: async () => bytes } }), '/h');
    expect(await free(50 * 1024 ** 3)).toMatchObject({ state: 'ok', text: '50.0 GiB free at /h' });
    expect(await free(1024 ** 3)).toMatchObject({ state: 'warn' });
    expect(await free(1024 ** 2)).toMatchObject({ state: 'fail', text: '1 MiB free at /h' });
    expect(await free(null)).toMatchObject({ state: 'fail', text: '/h cannot be written' });
  });

  it('[CLI2] wants its port free, unless filepath itself has it', async () => {
    const port = (value: string, code: string | null, at: string | null = null) =>
      checkPort(machine({ machine: { listen: async () => code } }), '127.0.0.1', value, at);
    expect(await port('4280', null)).toMatchObject({ state: 'ok' });
    expect(await port('4280', 'EADDRINUSE')).toMatchObject({
      state: 'fail',
      text: '127.0.0.1:4280 is taken',
      fix: 'FILEPATH_PORT=4281 npm start',
    });
    expect(await port('4280', 'EADDRINUSE', 'http://127.0.0.1:4280')).toMatchObject({
      state: 'ok',
    });
    expect(await port('http', null)).toMatchObject({ state: 'fail' });
  });
});

describe('filepath doctor', () => {
  it('[CLI2] prints a line for each need and the fix below it, and exits 1', async () => {
    const io = recordedIo('', { FILEPATH_HOME: '/nonexistent/home' });
    expect(await doctor([], io, machine())).toBe(1);
    expect(io.said).toContain('ok    node             24.21.0');
    const at = io.said.findIndex((line) => line.startsWith('fail  git'));
    expect(io.said[at + 1]?.trim()).toBe('fix: sudo apt-get install -y git');
  });

  it('[CLI2] speaks JSON', async () => {
    const programs = {
      git: () => said('git version 2.39.5'),
      bwrap: bwrap('0.8.0'),
      podman: () => said('4.3.1'),
    };
    const io = recordedIo('', { FILEPATH_HOME: '/nonexistent/home' });
    expect(await doctor(['--json'], io, machine({ programs }))).toBe(0);
    expect(JSON.parse(io.said.join('\n'))).toMatchObject({ ok: true, checks: { length: 9 } });
  });

  it('[CLI2] examines this machine without a fault of its own', async () => {
    const io = recordedIo('', { FILEPATH_HOME: '/nonexistent/home', FILEPATH_PORT: '1' });
    expect([0, 1]).toContain(await doctor([], io));
    expect(io.said.filter((line) => /^(ok|warn|fail) /.test(line)).length).toBeGreaterThan(5);
    expect(await thisMachine.run('no-such-program', [])).toBeNull();
    expect(await thisMachine.run('sh', ['-c', 'echo out; echo err >&2; exit 3'])).toEqual({
      code: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });
});
