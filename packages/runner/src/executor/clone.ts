import type { Mirror } from '../git/mirrors.ts';
import { Refusal } from './executor.ts';
import { runOnce } from './once.ts';

const TIMEOUT_MS = 10 * 60_000;
export const CONFIG_FD = 6;

/** Where the mirror is in every sandbox: a workspace names this place for the objects it borrows. */
export const MIRROR = '/run/mirror.git';

/** git's configuration in sandboxes that the runner waits for, beside that of the workspace. */
export const CONFIG = `[safe]
directory = *
[core]
hooksPath = /dev/null
[protocol]
allow = never
[protocol "file"]
allow = always
`;

export const GIT_ENVIRONMENT: ReadonlyMap<string, string> = new Map([
  ['PATH', '/usr/bin:/bin'],
  ['HOME', '/tmp'],
  ['LANG', 'C.UTF-8'],
  ['GIT_CONFIG_GLOBAL', '/run/gitconfig'],
  ['GIT_CONFIG_NOSYSTEM', '1'],
  ['GIT_TERMINAL_PROMPT', '0'],
]);

const SCRIPT = `
git clone --quiet --shared --template= ${MIRROR} /workspace &&
git -C /workspace remote set-url origin "$1" &&
git -C /workspace checkout --quiet -b "$2"
`;

export type Clone = {
  bwrap: string;
  uid: number | null;
  /** An empty directory that the agent's user may write. */
  into: string;
  /** The agent's directory, which holds `into`. */
  dir: string;
  mirror: Mirror;
  branch: string;
  signal: AbortSignal;
};

/**
 * Makes a workspace that borrows the objects of its mirror. It happens inside a sandbox: so does what the content
 * of a repository makes git do. Throws a Refusal.
 */
export async function clone(job: Clone): Promise<void> {
  const { mirror } = job;
  const result = await runOnce({
    bwrap: job.bwrap,
    uid: job.uid,
    sources: [job.dir, mirror.path],
    mounts: ([dir = '', source = '']) => ({
      workspace: dir + job.into.slice(job.dir.length),
      home: null,
      extra: ['--ro-bind', source, MIRROR, '--ro-bind-data', String(CONFIG_FD), '/run/gitconfig'],
    }),
    environment: GIT_ENVIRONMENT,
    data: new Map([[CONFIG_FD, CONFIG]]),
    command: ['/bin/sh', '-c', SCRIPT, 'clone', mirror.shown, job.branch],
    timeoutMs: TIMEOUT_MS,
    signal: job.signal,
  });
  if (result.status === 0) return;
  if (job.signal.aborted) throw new Refusal('the clone was given up');
  const said = result.timedOut ? 'it took longer than 10 minutes' : result.output.trim();
  throw new Refusal(`cannot clone ${mirror.shown}: ${said.slice(-1500)}`);
}
