import { join } from 'node:path';
import { statSync } from 'node:fs';
import { reasonOf } from '../log.ts';
import { Engine } from './engine.ts';

export type Found = { engine: Engine; version: string } | { engine: null; reason: string };

/** The engine whose socket is set, or the first that answers. */
export async function findEngine(env: NodeJS.ProcessEnv): Promise<Found> {
  const faults: string[] = [];
  for (const socket of sockets(env)) {
    if (statSync(socket, { throwIfNoEntry: false })?.isSocket() !== true) {
      if (isChosen(env)) faults.push(`${socket} is no socket`);
      continue;
    }
    try {
      return await Engine.connect(socket);
    } catch (error) {
      faults.push(`${socket}: ${reasonOf(error).slice(0, 300)}`);
    }
  }
  return { engine: null, reason: explain(env, faults) };
}

const isChosen = (env: NodeJS.ProcessEnv): boolean =>
  Boolean(env['FILEPATH_CONTAINER_SOCKET']) || dockerHost(env) !== null;

function dockerHost(env: NodeJS.ProcessEnv): string | null {
  const host = env['DOCKER_HOST'] ?? '';
  return host.startsWith('unix://') ? host.slice('unix://'.length) : null;
}

/** One that is set is the only one. */
export function sockets(env: NodeJS.ProcessEnv): string[] {
  const chosen = env['FILEPATH_CONTAINER_SOCKET'] || dockerHost(env);
  if (chosen) return [chosen];
  const own = env['XDG_RUNTIME_DIR'];
  const shared = ['/run/podman/podman.sock', '/var/run/docker.sock'];
  const personal = own ? [join(own, 'podman/podman.sock'), join(own, 'docker.sock')] : [];
  // An ordinary user's own engine is asked before one that may be root's.
  return process.getuid?.() === 0 ? [...shared, ...personal] : [...personal, ...shared];
}

function explain(env: NodeJS.ProcessEnv, faults: readonly string[]): string {
  if (faults.length > 0) return `no container engine answers: ${faults.join('; ')}`;
  const host = env['DOCKER_HOST'] ?? '';
  const only =
    host !== '' && !host.startsWith('unix://') ? ` (DOCKER_HOST ${host} is not local)` : '';
  const fix = process.getuid?.() === 0 ? 'systemctl' : 'systemctl --user';
  return `agents with an image need podman or docker, and no socket of one is here${only}: install podman and run \`${fix} enable --now podman.socket\`, or set FILEPATH_CONTAINER_SOCKET`;
}
