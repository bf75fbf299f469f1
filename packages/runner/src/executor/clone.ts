import { join, relative } from 'node:path';
import { START_BYTES } from '../git/snapshot.ts';
import { Refusal } from './executor.ts';
import { type OnceJob, runOnce } from './once.ts';
import type { CloneJob } from './make-workspace.ts';

const TIMEOUT_MS = 10 * 60_000;
const CONFIG_FD = 6;

/** Where the mirror is in every sandbox: a workspace names this place for the objects it borrows. */
export const MIRROR = '/run/mirror.git';

/** git's configuration in sandboxes that the runner waits for, beside that of the workspace. */
export const GIT_CONFIG = `[safe]
directory = *
[core]
hooksPath = /dev/null
[protocol]
allow = never
[protocol "file"]
allow = always
`;

const GIT_ENVIRONMENT: ReadonlyMap<string, string> = new Map([
  ['PATH', '/usr/bin:/bin'],
  ['HOME', '/tmp'],
  ['LANG', 'C.UTF-8'],
  ['GIT_CONFIG_GLOBAL', '/run/gitconfig'],
  ['GIT_CONFIG_NOSYSTEM', '1'],
  ['GIT_TERMINAL_PROMPT', '0'],
]);

/** What is the agent's own in a workspace, and no part of what it commits. */
export const EXCLUDED = '/.env';

/** Arguments: remote, branch, where it starts (empty: where the remote's HEAD is), what comes on stdin, kind of hashes. */
export const CLONE_SCRIPT = `
if [ -n "$1" ]; then
  git clone --quiet --shared --no-checkout --template= ${MIRROR} /workspace &&
  git -C /workspace remote set-url origin "$1"
else
  git init --quiet --template= --object-format="$5" /workspace
fi || exit
cd /workspace && mkdir -p .git/info && echo ${EXCLUDED} > .git/info/exclude || exit
[ "$4" != pack ] || git index-pack --stdin --strict --max-input-size=${START_BYTES} > /dev/null || exit
git checkout --quiet -b "$2" \${3:+"$3"}
`;

/** For git on a folder of the agent's directory, with a mirror to read from and a configuration of ours. */
export function gitSandbox(
  agentDir: string,
  folder: string,
  mirror: string | null,
): Pick<OnceJob, 'sources' | 'mounts' | 'environment' | 'data'> {
  return {
    sources: mirror === null ? [agentDir] : [agentDir, mirror],
    mounts: ([dir = '', source]) => ({
      workspace: join(dir, folder),
      home: null,
      extra: [
        ...(source === undefined ? [] : ['--ro-bind', source, MIRROR]),
        '--ro-bind-data',
        String(CONFIG_FD),
        '/run/gitconfig',
      ],
    }),
    environment: GIT_ENVIRONMENT,
    data: new Map([[CONFIG_FD, GIT_CONFIG]]),
  };
}

export type Clone = CloneJob & { bwrap: string };

/**
 * Makes a workspace that borrows the objects of its mirror. It happens inside a sandbox: so does what the content
 * of a repository makes git do. Throws a Refusal.
 */
export async function clone(job: Clone): Promise<void> {
  const { mirror, start } = job;
  const shown = mirror?.shown ?? '';
  const result = await runOnce({
    bwrap: job.bwrap,
    uid: job.uid,
    ...gitSandbox(job.dir, relative(job.dir, job.into), mirror?.path ?? null),
    ...(typeof start?.pack === 'number' ? { stdin: start.pack } : {}),
    command: ['/bin/sh', '-c', CLONE_SCRIPT, 'clone', shown, job.branch, ...startOf(start)],
    groups: job.groups,
    timeoutMs: TIMEOUT_MS,
    signal: job.signal,
  });
  if (result.status === 0) return;
  if (job.signal.aborted) throw new Refusal('the clone was given up');
  const said = result.timedOut ? 'it took longer than 10 minutes' : result.output.trim();
  throw new Refusal(`cannot clone ${shown}: ${said.slice(-1500)}`);
}

function startOf(start: Clone['start']): string[] {
  if (start === null) return ['', '', 'sha1'];
  const kind = start.commit.length === 64 ? 'sha256' : 'sha1';
  return [start.commit, start.pack === null ? '' : 'pack', kind];
}
