import { statSync } from 'node:fs';
import { errorCode } from '../files.ts';
import { Refusal } from './executor.ts';
import { lendRepository } from './lent-repository.ts';
import { runOnce } from './once.ts';
import { cloneConfig, parseRepository, type Repository } from './repository.ts';

const TIMEOUT_MS = 10 * 60_000;
const CONFIG_FD = 6;

const REPOSITORY = '/run/repo';

const SCRIPT = `
[ "$1" != ${REPOSITORY} ] || git -C ${REPOSITORY} rev-parse --git-dir > /dev/null || exit
git clone --quiet --no-local --no-hardlinks --template= "$1" /workspace &&
git -C /workspace remote set-url origin "$2" &&
git -C /workspace checkout --quiet -b "$3"
`;

export type Clone = {
  bwrap: string;
  uid: number | null;
  /** An empty directory that the agent's user may write. */
  into: string;
  /** The agent's directory, which holds `into`. */
  dir: string;
  repository: string;
  branch: string;
  signal: AbortSignal;
};

/** Clones inside a sandbox: what a repository makes git do happens there. Throws a Refusal. */
export async function clone(job: Clone): Promise<void> {
  const repository = parseRepository(job.repository);
  if (repository.kind === 'url') return cloneFrom(job, repository, null);
  checkDirectory(repository.path);
  const lent = await lendRepository(repository.path, job.uid, job.dir);
  try {
    await cloneFrom(job, repository, lent.path);
  } finally {
    lent.giveBack();
  }
}

/** `path` is where a repository of this machine can be read. */
async function cloneFrom(job: Clone, repository: Repository, path: string | null): Promise<void> {
  const result = await runOnce({
    bwrap: job.bwrap,
    uid: job.uid,
    sources: path === null ? [job.dir] : [job.dir, path],
    mounts: ([dir = '', source]) => ({
      workspace: dir + job.into.slice(job.dir.length),
      home: null,
      extra: [
        ...(source === undefined ? [] : ['--ro-bind', source, REPOSITORY]),
        '--ro-bind-data',
        String(CONFIG_FD),
        '/run/gitconfig',
      ],
      network: repository.kind === 'url',
    }),
    environment: new Map([
      ['PATH', '/usr/bin:/bin'],
      ['HOME', '/tmp'],
      ['LANG', 'C.UTF-8'],
      ['GIT_CONFIG_GLOBAL', '/run/gitconfig'],
      ['GIT_CONFIG_NOSYSTEM', '1'],
      ['GIT_TERMINAL_PROMPT', '0'],
      ['GIT_ASKPASS', '/bin/false'],
    ]),
    data: new Map([[CONFIG_FD, cloneConfig(repository)]]),
    command: [
      '/bin/sh',
      '-c',
      SCRIPT,
      'clone',
      repository.kind === 'path' ? REPOSITORY : repository.url,
      shown(repository),
      job.branch,
    ],
    timeoutMs: TIMEOUT_MS,
    signal: job.signal,
  });
  if (result.status === 0) return;
  if (job.signal.aborted) throw new Refusal('the clone was given up');
  const said = result.timedOut ? 'it took longer than 10 minutes' : result.output.trim();
  throw new Refusal(`cannot clone ${shown(repository)}: ${said.slice(-1500)}`);
}

const shown = (repository: Repository): string =>
  repository.kind === 'path' ? repository.path : repository.url;

function checkDirectory(path: string): void {
  try {
    if (statSync(path).isDirectory()) return;
  } catch (error) {
    const code = errorCode(error);
    const why = code === 'ENOENT' ? 'there is nothing at this path' : (code ?? 'it cannot be read');
    throw new Refusal(`cannot clone ${path}: ${why}`);
  }
  throw new Refusal(`cannot clone ${path}: it is not a directory`);
}
