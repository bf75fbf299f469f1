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

/** Agents with an image or a Dockerfile need an engine; those with a command run without one where there is bubblewrap. */
export async function checkContainers(machine: Machine): Promise<Check> {
  const engine = await machine.containers();
  if ('version' in engine) return ok('containers', `${engine.version} answers`);
  const linux = machine.platform === 'linux';
  const text = linux
    ? `${engine.reason}; agents with a command run without`
    : `${engine.reason}; agents cannot run`;
  return (linux ? warn : fail)('containers', text, await startEngine(machine));
}

/** The command that brings the engine that is installed to answer, or installs one. */
async function startEngine(machine: Machine): Promise<string> {
  const sudo = machine.isRoot ? '' : 'sudo ';
  const linux = machine.platform === 'linux';
  if ((await machine.run('podman', ['--version']))?.code === 0) {
    if (!linux) return 'podman machine start';
    return `systemctl ${machine.isRoot ? '' : '--user '}enable --now podman.socket`;
  }
  if (linux && (await machine.run('docker', ['--version']))?.code === 0) {
    return `${sudo}systemctl start docker`;
  }
  return installCommand(machine, 'podman');
}

/** Every agent whose program is missing can be offered it when it starts: nothing here is necessary. */
export async function checkAgents(machine: Machine, env: NodeJS.ProcessEnv): Promise<Check> {
  const { missing, faults } = await machine.agents(env);
  const [fault] = faults;
  if (fault !== undefined) return warn('agents', fault, 'filepath agents list');
  if (missing.length === 0) return ok('agents', 'the programs of all are here');
  return ok('agents', `not installed: ${missing.join(', ')}; see \`filepath agents list\``);
}
