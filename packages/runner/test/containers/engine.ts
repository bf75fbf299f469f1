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
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Engine } from '../../src/container/engine.ts';
import { findTool } from '../../src/executor/tools.ts';

const run = promisify(execFile);

export const BASE_IMAGE = 'localhost/filepath-test:base';

/** What the agents of these tests use. */
const PROGRAMS =
  'sh git-upload-pack cat ls sleep env id tail tr sed grep seq true git perl touch mkdir ln readlink head printf wc base64 find awk cut rm mv cp chmod mkfifo';

export const CONF = `[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[engine.runtimes]
runc = ["/usr/sbin/runc", "/usr/bin/runc"]
`;

/**
 * A podman of its own for these tests, with its own storage, so that nothing is left and no registry is asked. Its
 * one image is made from programs of this machine.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'filepath-podman-'));
  const conf = join(dir, 'containers.conf');
  writeFileSync(conf, CONF);
  const env = { ...process.env, CONTAINERS_CONF: conf };
  const at = ['root', 'runroot', 'tmpdir'].flatMap((name) => [`--${name}`, join(dir, name)]);
  const podman = async (...args: string[]): Promise<void> => {
    await run('podman', [...at, ...args], { env, timeout: 60_000 });
  };
  const socket = join(dir, 'podman.sock');
  let service: ChildProcess | null = null;
  const teardown = async (): Promise<void> => {
    await podman('rm', '--all', '--force', '--time', '0').catch(() => undefined);
    const ended = service === null ? null : once(service, 'exit');
    service?.kill('SIGTERM');
    await ended;
    // podman mounts its storage over itself, and leaves what a build that was given up had mounted.
    await run('umount', ['-R', join(dir, 'root/overlay')]).catch(() => undefined);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await baseImage(join(dir, 'base'));
    await run('tar', ['-C', join(dir, 'base'), '-cf', join(dir, 'base.tar'), '.']);
    await podman('import', '--change', 'ENV=IMAGE_ENV=image', join(dir, 'base.tar'), BASE_IMAGE);
    service = spawn('podman', [...at, 'system', 'service', '--time=0', `unix://${socket}`], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await answers(socket);
  } catch (error) {
    await teardown();
    throw error;
  }
  // Workers of vitest and runners in processes of their own inherit it.
  process.env['FILEPATH_CONTAINER_SOCKET'] = socket;
  process.env['FILEPATH_TEST_ROOT'] = join(dir, 'base.tar');
  return teardown;
}

/** Whether these tests are run with an engine of their own. */
export const hasTestEngine = (): boolean => process.env['FILEPATH_TEST_ROOT'] !== undefined;

export async function answers(socket: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      if (existsSync(socket)) return void (await Engine.connect(socket));
    } catch (error) {
      if (tries > 200) throw error;
    }
    if (tries > 200) throw new Error('podman does not answer');
    await delay(50);
  }
}

async function baseImage(root: string): Promise<void> {
  for (const name of ['usr/bin', 'usr/lib', 'usr/lib64', 'etc', 'tmp', 'run', 'proc', 'dev']) {
    mkdirSync(join(root, name), { recursive: true });
  }
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
  for (const name of PROGRAMS.split(' ')) {
    const path = findTool(name, { PATH: '/usr/bin:/bin' });
    if (path === null) throw new Error(`${name} is missing on this machine`);
    copyFileSync(path, join(root, 'usr/bin', name));
    const { stdout } = await run('ldd', [path]).catch(() => ({ stdout: '' }));
    for (const [library] of stdout.matchAll(/\/\S+/g)) {
      const into = join(root, library.replace(/^\/lib/, '/usr/lib'));
      mkdirSync(dirname(into), { recursive: true });
      copyFileSync(realpathSync(library), into);
    }
  }
}
