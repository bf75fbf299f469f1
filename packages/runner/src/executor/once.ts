import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  bwrapArgs,
  encodeArgs,
  FD,
  HOSTS,
  type Mounts,
  PASSWD,
  seccompFilter,
} from './bwrap-args.ts';
import { entering } from '../egress/namespace.ts';
import { endTree } from './end-tree.ts';
import { coveredStdio } from './inherited.ts';
import { MOUNT_BELOW, mountPoint, seenBelow } from './mount-points.ts';
import type { Network } from './networks.ts';

/** A command that the runner waits for, in a sandbox of its own. It dies with the runner. */
export type OnceJob = {
  bwrap: string;
  uid: number | null;
  /** Host directories and files; `mounts` gets their paths as the sandbox's maker sees them. */
  sources: readonly string[];
  mounts(paths: readonly string[]): Mounts;
  environment: ReadonlyMap<string, string>;
  /** Files for the sandbox: descriptor and content. */
  data?: ReadonlyMap<number, string>;
  /** Open files in place of /dev/null and of the output that is kept. */
  stdin?: number;
  stdout?: number;
  /** Control groups that hold it. */
  groups?: readonly string[];
  command: readonly string[];
  /** Takes stdout, which else is part of the output. Where it fails the command is ended, and so is the call. */
  onStdout?(stdout: Readable): Promise<void>;
  timeoutMs: number;
  signal?: AbortSignal;
  /** A network to be in, instead of one of its own with nothing in it. */
  network?: Pick<Network, 'net' | 'user'>;
};

export type OnceResult = { status: number | null; output: string; timedOut: boolean };

const OUTPUT_BYTES = 8192;
const NET_FD = 10;
const USER_FD = 11;

/** Options of `unshare`: mounts made after it are nobody else's. */
export const PRIVATE = ['--mount', '--propagation', 'private'];

const AS_USER = `${MOUNT_BELOW}
uid=$1 at=$2 enter=$3 bwrap=$4 sources=$5
shift 5
mount_below "$at" "$sources" "$@" || exit 125
shift "$sources"
exec $enter setpriv --reuid "$uid" --regid "$uid" --clear-groups --no-new-privs \\
  env -i PATH=/usr/bin:/bin "$bwrap" --args 9 -- "$@"
`;

/** Joins control groups, then becomes the command. */
const JOIN = `
groups=$1
shift
while [ "$groups" -gt 0 ]; do
  echo 0 > "$1/cgroup.procs" || exit 125
  shift
  groups=$((groups - 1))
done
exec "$@"
`;

export async function runOnce(job: OnceJob): Promise<OnceResult> {
  const folder = mkdtempSync(join(tmpdir(), 'filepath-'));
  const opened: number[] = [];
  try {
    const at = job.uid === null ? '' : mountPoint(job.sources);
    const seen = job.uid === null ? job.sources : seenBelow(at, job.sources);
    const uid = job.uid ?? process.getuid?.() ?? 65534;
    const files = new Map<number, string | Buffer>([
      ...(job.data ?? []),
      [FD.seccomp, seccompFilter()],
      [FD.passwd, PASSWD(uid)],
      [FD.hosts, HOSTS],
      [
        FD.args,
        encodeArgs(
          bwrapArgs({ ...job.mounts(seen), entered: job.network !== undefined }, job.environment),
        ),
      ],
    ]);
    const stdio: (number | 'ignore' | 'pipe')[] = coveredStdio();
    for (let fd = stdio.length; fd <= FD.args; fd++) stdio[fd] = 'ignore';
    if (job.stdin !== undefined) stdio[0] = job.stdin;
    stdio[1] = job.stdout ?? 'pipe';
    stdio[2] = 'pipe';
    for (const [fd, content] of files) {
      const path = join(folder, String(fd));
      writeFileSync(path, content, { mode: 0o600 });
      const handle = openSync(path, 'r');
      unlinkSync(path);
      opened.push(handle);
      stdio[fd] = handle;
    }
    const enter = entrance(job, stdio);
    const means = [String(uid), at, enter.join(' '), job.bwrap, String(job.sources.length)];
    const command = [...job.sources, ...job.command];
    const [file = '', ...args] =
      job.uid === null
        ? [...enter, job.bwrap, '--args', String(FD.args), '--', ...job.command]
        : ['unshare', ...PRIVATE, '/bin/sh', '-c', AS_USER, 'sh', ...means, ...command];
    const { groups = [] } = job;
    if (groups.length === 0) return await wait(job, file, args, stdio);
    const joining = ['-c', JOIN, 'join', String(groups.length), ...groups];
    return await wait(job, '/bin/sh', [...joining, file, ...args], stdio);
  } finally {
    for (const fd of opened) closeSync(fd);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Hands the network on and gives the command that enters it. */
function entrance(job: OnceJob, stdio: (number | 'ignore' | 'pipe')[]): string[] {
  if (job.network === undefined) return [];
  const { net, user } = job.network;
  for (let fd = stdio.length; fd <= USER_FD; fd++) stdio[fd] = 'ignore';
  stdio[NET_FD] = net;
  if (user !== null) stdio[USER_FD] = user;
  const at = (fd: number): string => `/proc/self/fd/${fd}`;
  return entering({ net: at(NET_FD), user: user === null ? null : at(USER_FD) });
}

function wait(
  job: OnceJob,
  file: string,
  args: string[],
  stdio: (number | 'ignore' | 'pipe')[],
): Promise<OnceResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      stdio,
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      detached: true,
    });
    let output = Buffer.alloc(0);
    let timedOut = false;
    const collect = (chunk: Buffer): void => {
      output = Buffer.concat([output, chunk]).subarray(-OUTPUT_BYTES);
    };
    const gone = (): boolean => child.exitCode !== null || child.signalCode !== null;
    const end = (): void => {
      if (child.pid !== undefined) void endTree(child.pid, gone);
    };
    let taken: Promise<void> = Promise.resolve();
    if (child.stdout !== null && job.onStdout !== undefined) {
      const { stdout } = child;
      taken = job.onStdout(stdout);
      // What nobody reads any more would keep the end from being seen.
      taken.catch(() => {
        stdout.destroy();
        end();
      });
    } else child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, job.timeoutMs);
    job.signal?.addEventListener('abort', end, { once: true });
    if (job.signal?.aborted === true) end();
    const done = (): void => {
      clearTimeout(timer);
      job.signal?.removeEventListener('abort', end);
    };
    child.on('error', (error) => {
      done();
      reject(error);
    });
    child.on('close', (status) => {
      done();
      const result = { status, output: output.toString('utf8'), timedOut };
      taken.then(() => resolve(result), reject);
    });
  });
}
