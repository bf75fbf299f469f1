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

const LEAST_NODE = '22.12';

export function checkNode(machine: Machine): Check {
  const { nodeVersion } = machine;
  return atLeast(nodeVersion, LEAST_NODE)
    ? ok('node', nodeVersion)
    : fail(
        'node',
        `${nodeVersion} is older than ${LEAST_NODE}`,
        'npm start    # on Linux it brings its own Node; elsewhere install one from https://nodejs.org/',
      );
}

export async function checkGit(machine: Machine): Promise<Check> {
  const ran = await machine.run('git', ['--version']);
  if (ran?.code === 0) return ok('git', versionIn(ran.stdout) ?? 'present');
  return fail('git', 'not found', installCommand(machine, 'git'));
}

/** Containers are needed only where there is no bubblewrap. */
export async function checkContainers(machine: Machine): Promise<Check> {
  const silent: string[] = [];
  for (const [name, args] of [
    ['podman', ['version', '--format', '{{.Client.Version}}']],
    ['docker', ['version', '--format', '{{.Server.Version}}']],
  ] as const) {
    const ran = await machine.run(name, [...args]);
    const version = ran?.code === 0 ? versionIn(ran.stdout) : null;
    if (version !== null) return ok('containers', `${name} ${version}`);
    if (ran !== null) silent.push(name);
  }
  const text =
    silent.length > 0
      ? `${silent.join(' and ')} found, but it does not answer`
      : 'neither podman nor docker found; agents with an image need one';
  const fix =
    silent.includes('docker') && machine.platform === 'linux'
      ? `${machine.isRoot ? '' : 'sudo '}systemctl start docker`
      : installCommand(machine, 'podman');
  return machine.platform === 'linux'
    ? warn('containers', text, fix)
    : fail('containers', text, fix);
}
