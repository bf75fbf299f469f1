import { volumesIn } from './volumes.ts';
import type { LimitSettings } from '../limits/settings.ts';

export type Bind = { from: string; to: string; writable: boolean };

/** What an engine is asked for besides the image: everything that an agent may not do. */
export type Cage = {
  /** Which of the two engines is asked: they differ in few words. */
  podman: boolean;
  image: string;
  /** Null: what the image says. */
  command: readonly string[] | null;
  environment: ReadonlyMap<string, string>;
  labels: Record<string, string>;
  /** `uid:gid` inside the container. */
  user: string;
  /** Whether the engine, which is an ordinary user's, maps that user to itself. */
  keepId: boolean;
  binds: readonly Bind[];
  /** Where the image asks for disk of the host. */
  volumes: readonly string[];
  /** Most that one file may have, in bytes; null: any size. */
  fileBytes: number | null;
  /** As the engine takes it: a path or the profile itself. */
  seccomp: string;
  limits: LimitSettings;
  /** Which of the limits the engine can hold. */
  holds: { memory: boolean; pids: boolean; cpu: boolean };
};

const MIB = 2 ** 20;
const VOLUME_BYTES = 64 * MIB;
/** Its owner is the agent: runtimes give it the mode that the image's own directory has. */
function tmpfs(bytes: number, { podman, user }: Cage): string {
  const [uid = '', gid = ''] = user.split(':');
  const owner = podman ? 'U' : `uid=${uid},gid=${gid}`;
  return `rw,exec,nosuid,nodev,size=${bytes},mode=1777,${owner}`;
}

/** The body of a request for a container. The environment is in it: it goes to the engine by its socket only. */
export function cageBody(cage: Cage): object {
  const { limits, holds } = cage;
  return {
    Image: cage.image,
    ...(cage.command === null ? {} : { Entrypoint: [...cage.command], Cmd: [] }),
    Env: [...cage.environment].map(([name, value]) => `${name}=${value}`),
    Labels: cage.labels,
    User: cage.user,
    Hostname: 'agent',
    WorkingDir: '/workspace',
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    // podman takes this for a test to be run.
    ...(cage.podman ? {} : { Healthcheck: { Test: ['NONE'] } }),
    HostConfig: {
      Mounts: cage.binds.map(({ from, to, writable }) => ({
        Type: 'bind',
        Source: from,
        Target: to,
        ReadOnly: !writable,
      })),
      Tmpfs: Object.fromEntries([
        ...volumesIn(cage).map((path) => [path, tmpfs(VOLUME_BYTES, cage)]),
        ['/tmp', tmpfs(256 * MIB, cage)],
        ['/run', tmpfs(16 * MIB, cage)],
      ]),
      ReadonlyRootfs: true,
      NetworkMode: 'none',
      IpcMode: 'private',
      CgroupnsMode: 'private',
      ...(cage.keepId ? { UsernsMode: 'keep-id' } : {}),
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', `seccomp=${cage.seccomp}`],
      Privileged: false,
      Init: false,
      RestartPolicy: { Name: 'no' },
      // What it prints goes to the spool and nowhere else.
      LogConfig: { Type: 'none' },
      ShmSize: 64 * MIB,
      Ulimits: [
        { Name: 'nofile', Soft: 1024, Hard: 1024 },
        { Name: 'nproc', Soft: 4096, Hard: 4096 },
        ...(cage.fileBytes === null
          ? []
          : [{ Name: 'fsize', Soft: cage.fileBytes, Hard: cage.fileBytes }]),
      ],
      ...(holds.memory ? { Memory: limits.memory, MemorySwap: limits.memory } : {}),
      ...(holds.pids ? { PidsLimit: limits.pids } : {}),
      ...(holds.cpu ? { NanoCpus: Math.round(limits.cpus * 1e9) } : {}),
    },
  };
}
