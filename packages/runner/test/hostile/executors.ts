import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { BASE_IMAGE } from '@filepath/testkit';
import { asUser, USER } from '../as-user.ts';
import { hasTestEngine } from '../containers/engine.ts';
import { type Bench, runnerProcess, shellOrder } from '../setup.ts';

/** A way to run agents, as the hostile tests see it. */
export type HostileExecutor = {
  name: string;
  /** What makes an agent of this command run this way. */
  config(command: string[]): StartOrder['config'];
  /** Starts a runner that runs agents this way, in a process of its own: after `before`, with `args` on its command line. */
  start(bench: Bench, before?: string, ...args: string[]): { pid: number };
  /** Folders of the host that have nothing in them here, or are not here. */
  absent: string;
  /** Makes files of a test the runner's, so that it can read them. Gives the path back. */
  share(path: string): string;
};

const asItself: HostileExecutor = {
  name: 'a sandbox',
  absent: '/root /var /sys /mnt /media /srv /boot',
  config: (command) => ({ command }),
  start: (bench, before, ...args) => runnerProcess(bench, prepared(before, args)),
  share: (path) => path,
};

const asOrdinaryUser: HostileExecutor = {
  ...asItself,
  name: 'a sandbox of an ordinary user',
  start: (bench, before, ...args) => {
    const user = asUser();
    asOrdinaryUser.share(bench.home);
    return runnerProcess(bench, [...user.prefix, ...prepared(before, args)], user.path);
  },
  share: (path) => {
    execFileSync('chown', ['-R', '-h', `${USER}:${USER}`, path]);
    // The temporary folder of a test, if the path is inside of one: only root may enter it.
    const above = dirname(path);
    if (basename(above).startsWith('filepath-test-')) chmodSync(above, 0o711);
    return path;
  },
};

/** With the engine and the image of the tests with containers. */
const inContainer: HostileExecutor = {
  ...asItself,
  name: 'a container',
  // What the image has, and what the kernel says of its devices, is there.
  absent: '/root /mnt /media /srv /opt /boot',
  config: (command) => ({ command, image: BASE_IMAGE }),
};

function prepared(before: string | undefined, args: readonly string[]): string[] {
  const words = args.map((word) => `'${word}'`).join(' ');
  return ['sh', '-c', `${before ?? ':'}; exec "$@" ${words}`, 'sh'];
}

/** Root drops to an ordinary user where the kernel lets one make namespaces. */
function hasOrdinaryUsers(): boolean {
  if (process.getuid?.() !== 0) return false;
  const drop = ['--reuid', `${USER}`, '--regid', `${USER}`, '--clear-groups'];
  const trial = ['bwrap', '--unshare-user', '--ro-bind', '/', '/', 'true'];
  return spawnSync('/usr/bin/setpriv', [...drop, ...trial], { stdio: 'ignore' }).status === 0;
}

/** Each of the hostile tests is run once for each. */
export const executors: readonly HostileExecutor[] = hasTestEngine()
  ? [inContainer]
  : [asItself, ...(hasOrdinaryUsers() ? [asOrdinaryUser] : [])];

/** An order for a hostile agent that is a shell script. */
export function hostileOrder(
  executor: HostileExecutor,
  script: string,
  more: Partial<Omit<StartOrder, 'config'>> = {},
  envVars: Record<string, string> = {},
): StartOrder {
  const config = { ...executor.config(['sh', '-c', script]), envVars };
  return shellOrder('', { ...more, config });
}
