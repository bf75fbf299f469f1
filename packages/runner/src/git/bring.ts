import { closeSync, mkdirSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIRROR } from '../executor/clone.ts';
import { type Place, Refusal } from '../executor/executor.ts';
import { inWorkspace, intoFile, type WorkspaceTools } from '../jobs/workspace-command.ts';
import { type GitResult, hostGit } from './host-git.ts';
import type { Remote } from './remote.ts';

/** Most that one agent may bring at once, packed; git's memory for it, and its time. */
export const PACK_BYTES = 512 * 2 ** 20;
const MEMORY_BYTES = 2 ** 30;
const TIMEOUT_MS = 10 * 60_000;

/** The branch of the agent, or HEAD where there is none. Its objects without those that the mirror has. */
const SCRIPT = `
tip=$(git rev-parse --verify --quiet "refs/heads/$1^{commit}" || git rev-parse --verify --quiet 'HEAD^{commit}') || {
  echo 'the workspace has no commit to bring: is it a git repository?' >&2
  exit 1
}
echo "$tip"
{
  echo "$tip"
  git --git-dir=${MIRROR} for-each-ref --format='%(objectname)' |
    git cat-file --batch-check='%(objectname) %(objecttype)' |
    sed -n '/ missing$/!s/^\\([0-9a-f]*\\) .*/^\\1/p'
} | git pack-objects --revs --stdout --thin --delta-base-offset --quiet
`;

export type Bring = WorkspaceTools & {
  place: Place;
  /** Path of the mirror. Others may use it meanwhile: none of its objects ever goes. */
  mirror: string;
  signal: AbortSignal;
  /** Runs a task while nothing else is done to the mirror. Nothing in it waits for the agent. */
  exclusively<T>(task: () => Promise<T>): Promise<T>;
  /** Of the agent's `jobs`, for what passes. */
  folder?: string;
  /** The ref that is moved to the commit: the agent's own unless told. Null: none. */
  ref?: string | null;
  /** Most bytes of the pack. */
  most?: number;
  /** How long git in the workspace may take. */
  timeoutMs?: number;
};

/** Where the commits of an agent are in its mirror. */
export const refOf = (slug: string): string => `refs/filepath/${slug}`;

/**
 * Brings an agent's branch into its mirror. git reads the workspace inside the sandbox and writes a pack, which is
 * data: it is checked in a repository made for it, and what the branch needs is fetched from there. Gives the commit
 * back. Throws a Refusal.
 */
export async function bringBack(job: Bring): Promise<string> {
  const { place, mirror, signal } = job;
  const folder = join(place.dir, 'jobs', job.folder ?? 'bring');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const pack = join(folder, 'pack');
    await inWorkspace(job, {
      place,
      mirror,
      script: SCRIPT,
      args: [`filepath/${place.slug}`],
      onStdout: intoFile(pack, job.most ?? PACK_BYTES),
      signal,
      ...(job.timeoutMs === undefined ? {} : { timeoutMs: job.timeoutMs }),
    });
    const fd = openSync(pack, 'r');
    try {
      return await takePack(job, join(folder, 'checked.git'), fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(`the commits of the agent cannot be taken over: ${error.message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the mirror has this commit. */
export async function isThere(
  { env, mirror, signal }: Pick<Bring, 'env' | 'mirror' | 'signal'>,
  tip: string,
): Promise<boolean> {
  const args = [`--git-dir=${mirror}`, 'cat-file', '-e', `${tip}^{commit}`];
  const remote: Remote = { kind: 'path', shown: mirror };
  return (await hostGit({ args, remote, env, signal, timeoutMs: TIMEOUT_MS })).status === 0;
}

/** Takes a commit and a pack from a descriptor, by way of a repository that is made at `checked`. Throws a Refusal. */
export async function takePack(job: Bring, checked: string, fd: number): Promise<string> {
  const tip = readTip(fd);
  const ref = job.ref === undefined ? refOf(job.place.slug) : job.ref;
  const inMirror = `--git-dir=${job.mirror}`;
  const inChecked = `--git-dir=${checked}`;
  const remote: Remote = { kind: 'path', shown: checked };
  const git = (args: string[], stdin?: number): Promise<GitResult> =>
    hostGit({
      args,
      remote,
      env: job.env,
      signal: job.signal,
      timeoutMs: TIMEOUT_MS,
      bounds: { memory: MEMORY_BYTES, file: 2 * PACK_BYTES },
      ...(stdin === undefined ? {} : { stdin }),
    });
  const must = async (args: string[], stdin?: number): Promise<void> => {
    const result = await git(args, stdin);
    if (result.status === 0) return;
    if (job.signal.aborted) throw new Error('the runner is stopping');
    const said = result.timedOut ? 'it took longer than 10 minutes' : result.said.trim();
    throw new Refusal(said.slice(-1500) || 'git ended without a word');
  };
  if (await isThere(job, tip)) {
    if (ref !== null) await job.exclusively(() => must([inMirror, 'update-ref', ref, tip]));
    return tip;
  }
  const format = tip.length === 64 ? 'sha256' : 'sha1';
  await must(['init', '--bare', '--quiet', '--template=', `--object-format=${format}`, checked]);
  writeFileSync(join(checked, 'objects', 'info', 'alternates'), `${job.mirror}/objects\n`);
  const small = ['-c', 'core.bigFileThreshold=16m', '-c', 'pack.threads=1'];
  const most = `--max-input-size=${PACK_BYTES}`;
  await must([inChecked, ...small, 'index-pack', '--stdin', '--fix-thin', '--strict', most], fd);
  await must([inChecked, 'update-ref', 'refs/heads/tip', tip]);
  const options = ['--no-tags', '--no-write-fetch-head', '--quiet'];
  const fsck = ['-c', 'fetch.fsckObjects=true'];
  const spec = ref === null ? 'refs/heads/tip' : `+refs/heads/tip:${ref}`;
  const fetch = [inMirror, ...small, ...fsck, 'fetch', ...options, '--', checked, spec];
  await job.exclusively(() => must(fetch));
  return tip;
}

/** The first line; what follows is left to be read from the descriptor. */
function readTip(fd: number): string {
  const byte = Buffer.alloc(1);
  let line = '';
  while (line.length <= 64 && readSync(fd, byte, 0, 1, null) === 1 && byte[0] !== 10) {
    line += byte.toString('latin1');
  }
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(line)) return line;
  throw new Refusal('the workspace gave no commit');
}
