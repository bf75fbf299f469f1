import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const BASE_IMAGE = 'localhost/filepath-test:base';

/** podman's settings: runc works also where both versions of control groups are mounted. */
export const PODMAN_CONF = `[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[engine.runtimes]
runc = ["/usr/sbin/runc", "/usr/bin/runc"]
`;

export type ContainerEngine = {
  socket: string;
  /** The root of `BASE_IMAGE`, as an archive. */
  root: string;
  stop(): Promise<void>;
};

export const hasPodman = (): boolean => programPath('podman') !== null;

/**
 * A podman of its own, with its own storage, so that nothing is left and no registry is asked. Its one image is made
 * from these programs of this machine.
 */
export async function startContainerEngine(programs: readonly string[]): Promise<ContainerEngine> {
  const dir = mkdtempSync(join(tmpdir(), 'filepath-podman-'));
  const conf = join(dir, 'containers.conf');
  writeFileSync(conf, PODMAN_CONF);
  const env = { ...process.env, CONTAINERS_CONF: conf };
  const at = ['root', 'runroot', 'tmpdir'].flatMap((name) => [`--${name}`, join(dir, name)]);
  const podman = async (...args: string[]): Promise<void> => {
    await run('podman', [...at, ...args], { env, timeout: 120_000 });
  };
  const socket = join(dir, 'podman.sock');
  const root = join(dir, 'base.tar');
  let service: ChildProcess | null = null;
  const stop = async (): Promise<void> => {
    await podman('rm', '--all', '--force', '--time', '0').catch(() => undefined);
    const ended = service === null ? null : once(service, 'exit');
    service?.kill('SIGTERM');
    await ended;
    // podman mounts its storage over itself, and leaves what a build that was given up had mounted.
    await run('umount', ['-R', join(dir, 'root/overlay')]).catch(() => undefined);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await makeRoot(join(dir, 'base'), programs);
    await run('tar', ['-C', join(dir, 'base'), '-cf', root, '.']);
    await podman('import', '--change', 'ENV=IMAGE_ENV=image', root, BASE_IMAGE);
    service = spawn('podman', [...at, 'system', 'service', '--time=0', `unix://${socket}`], {
      env,
      // Where it leaves a file for each container that ran out of memory.
      cwd: dir,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await engineAnswers(socket);
  } catch (error) {
    await stop();
    throw error;
  }
  return { socket, root, stop };
}

/** Resolves when an engine answers behind the socket. */
export async function engineAnswers(socketPath: string): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    if (existsSync(socketPath) && (await pings(socketPath))) return;
    await delay(50);
  }
  throw new Error('podman does not answer');
}

function pings(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: '/_ping' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

async function makeRoot(root: string, programs: readonly string[]): Promise<void> {
  for (const name of ['usr/bin', 'usr/lib', 'usr/lib64', 'etc', 'tmp', 'run', 'proc', 'dev']) {
    mkdirSync(join(root, name), { recursive: true });
  }
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
  for (const name of programs) {
    const path = programPath(name);
    if (path === null) throw new Error(`${name} is missing on this machine`);
    copyFileSync(path, join(root, 'usr/bin', name));
    await copyLibraries(root, path);
  }
  // An image is to have what the runner's Node needs, which is put into it when it runs.
  await copyLibraries(root, process.execPath);
}

async function copyLibraries(root: string, program: string): Promise<void> {
  const { stdout } = await run('ldd', [program]).catch(() => ({ stdout: '' }));
  for (const [library] of stdout.matchAll(/\/\S+/g)) {
    const into = join(root, library.replace(/^\/lib/, '/usr/lib'));
    mkdirSync(dirname(into), { recursive: true });
    copyFileSync(realpathSync(library), into);
  }
}

function programPath(name: string): string | null {
  const path = ['/usr/bin', '/bin'].map((dir) => join(dir, name)).find((file) => existsSync(file));
  return path ?? null;
}
