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
import { coveredStdio } from './inherited.ts';
import { mountPoints } from './mount-points.ts';

/** A command that the runner waits for, in a sandbox of its own. It dies with the runner. */
export type OnceJob = {
  bwrap: string;
  uid: number | null;
  /** Host directories; `mounts` gets their paths as the sandbox's maker sees them. */
  sources: readonly string[];
  mounts(paths: readonly string[]): Mounts;
  environment: ReadonlyMap<string, string>;
  /** Files for the sandbox: descriptor and content. */
  data?: ReadonlyMap<number, string>;
  command: readonly string[];
  /** A file that the command reads as its stdin. */
  stdin?: number;
  /** Takes stdout, which else is part of the output. Where it fails the command is ended, and so is the call. */
  onStdout?(stdout: Readable): Promise<void>;
  /** Control groups to be joined before the agent's uid is taken. */
  groups?: readonly string[];
  timeoutMs: number;
  signal?: AbortSignal;
};

export type OnceResult = { status: number | null; output: string; timedOut: boolean };

const OUTPUT_BYTES = 8192;

/** Options of `unshare`: mounts made after it are nobody else's. */
export const PRIVATE = ['--mount', '--propagation', 'private'];

const JOIN = `
while [ "$groups" -gt 0 ]; do
  echo 0 > "$1/cgroup.procs" || exit 125
  shift
  groups=$((groups - 1))
done
`;

const AS_USER = `
uid=$1 sources=$2 groups=$3 bwrap=$4
shift 4
while [ "$sources" -gt 0 ]; do
  mount -n --bind "$1" "$2" || exit 125
  shift 2
  sources=$((sources - 1))
done
${JOIN}
exec setpriv --reuid "$uid" --regid "$uid" --clear-groups --no-new-privs \\
  env -i PATH=/usr/bin:/bin "$bwrap" --args 9 -- "$@"
`;

const AS_SELF = `
groups=$1
shift
${JOIN}
exec "$@"
`;

export async function runOnce(job: OnceJob): Promise<OnceResult> {
  const folder = mkdtempSync(join(tmpdir(), 'filepath-'));
  const opened: number[] = [];
  try {
    const points = job.uid === null ? job.sources : mountPoints(job.sources);
    const uid = job.uid ?? process.getuid?.() ?? 65534;
    const files = new Map<number, string | Buffer>([
      ...(job.data ?? []),
      [FD.seccomp, seccompFilter()],
      [FD.passwd, PASSWD(uid)],
      [FD.hosts, HOSTS],
      [FD.args, encodeArgs(bwrapArgs(job.mounts(points), job.environment))],
    ]);
    const stdio: (number | 'ignore' | 'pipe')[] = coveredStdio();
    for (let fd = stdio.length; fd <= FD.args; fd++) stdio[fd] = 'ignore';
    stdio[1] = 'pipe';
    stdio[2] = 'pipe';
    if (job.stdin !== undefined) stdio[0] = job.stdin;
    for (const [fd, content] of files) {
      const path = join(folder, String(fd));
      writeFileSync(path, content, { mode: 0o600 });
      const handle = openSync(path, 'r');
      unlinkSync(path);
      opened.push(handle);
      stdio[fd] = handle;
    }
    const mounted = job.sources.flatMap((source, index) => [source, points[index] ?? '']);
    const groups = job.groups ?? [];
    const count = [String(uid), String(job.sources.length), String(groups.length)];
    const command = [job.bwrap, ...mounted, ...groups, ...job.command];
    const own = [String(groups.length), ...groups, job.bwrap, '--args', String(FD.args), '--'];
    const [file, args]: [string, string[]] =
      job.uid === null
        ? ['/bin/sh', ['-c', AS_SELF, 'sh', ...own, ...job.command]]
        : ['unshare', [...PRIVATE, '/bin/sh', '-c', AS_USER, 'sh', ...count, ...command]];
    return await wait(job, file, args, stdio);
  } finally {
    for (const fd of opened) closeSync(fd);
    rmSync(folder, { recursive: true, force: true });
  }
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
    const end = (): void => void child.kill('SIGKILL');
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
