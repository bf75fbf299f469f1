import { join } from 'node:path';
import { Refusal } from '../executor/executor.ts';
import { readText, writeAtomic } from '../files.ts';
import { Redactor } from '../spool/redactor.ts';
import { type GitResult, hostGit } from './host-git.ts';
import { Progress } from './progress.ts';
import type { Remote } from './remote.ts';

const TIMEOUT_MS = 10 * 60_000;
const HEAD = 'refs/filepath/head';

export type Fetching = {
  remote: Remote;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  progress(step: string): void;
};

/** What the remote says its HEAD is; `listing` stands for all its branches and tags. */
type RemoteHead = { hash: string | null; branch: string | null; listing: string };

/** Makes a mirror at `path`, which does not exist. Throws a Refusal. */
export async function makeMirror(path: string, job: Fetching): Promise<void> {
  const head = await remoteHead(job);
  const format = head.hash?.length === 64 ? 'sha256' : 'sha1';
  // Other users may read it: agents do, through a mount of this directory alone.
  const args = ['--bare', '--quiet', '--template=', '--shared=0644', `--object-format=${format}`];
  must(job, await git(job, ['init', ...args, path]));
  await bring(path, job, head);
}

/** Brings a mirror up to date. Throws a Refusal. */
export async function fetchMirror(path: string, job: Fetching): Promise<void> {
  const head = await remoteHead(job);
  if (readText(listingOf(path)) !== head.listing) await bring(path, job, head);
}

async function bring(path: string, job: Fetching, head: RemoteHead): Promise<void> {
  const at = `--git-dir=${path}`;
  const specs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
  if (head.hash !== null && head.branch === null) specs.push(`+HEAD:${HEAD}`);
  const options = [
    '--prune',
    '--progress',
    '--update-shallow',
    '--no-write-fetch-head',
    '--no-tags',
  ];
  const fetch = [at, 'fetch', ...options, '--', job.remote.shown, ...specs];
  must(job, await git(job, fetch));
  if (head.branch !== null) {
    must(job, await git(job, [at, 'symbolic-ref', 'HEAD', head.branch]));
  } else if (head.hash !== null) {
    must(job, await git(job, [at, 'update-ref', '--no-deref', 'HEAD', HEAD]));
  }
  writeAtomic(listingOf(path), head.listing);
}

/** What the remote listed when it was last fetched: the same again means that nothing is new. */
const listingOf = (path: string): string => join(path, 'filepath-listing');

async function remoteHead(job: Fetching): Promise<RemoteHead> {
  const asked = ['HEAD', 'refs/heads/*', 'refs/tags/*'];
  const list = ['ls-remote', '--symref', '--', job.remote.shown, ...asked];
  const { out, outHash } = must(job, await git(job, list));
  return {
    hash: /^([0-9a-f]{40}|[0-9a-f]{64})\tHEAD$/m.exec(out)?.[1] ?? null,
    branch: /^ref: (refs\/heads\/[^\s]+)\tHEAD$/m.exec(out)?.[1] ?? null,
    listing: outHash,
  };
}

function git(job: Fetching, args: readonly string[]): Promise<GitResult> {
  const progress = new Progress((step) => job.progress(step));
  const { remote, env, signal } = job;
  const onLine = (line: string): boolean => progress.take(line);
  return hostGit({ args, remote, env, signal, timeoutMs: TIMEOUT_MS, onLine });
}

function must(job: Fetching, result: GitResult): GitResult {
  if (result.status === 0) return result;
  if (job.signal.aborted) throw new Refusal('the clone was given up');
  const { remote } = job;
  const said = result.timedOut ? 'it took longer than 10 minutes' : wordsOf(result, remote);
  throw new Refusal(`cannot clone ${remote.shown}: ${said}${advice(remote, said)}`);
}

/** The end of what git said, without credentials. */
export function wordsOf(result: GitResult, remote: Remote): string {
  const secrets = remote.kind === 'url' ? Object.values(remote.credentials ?? {}) : [];
  return new Redactor(secrets).redact(result.said).trim().slice(-1500);
}

/** What to do where git would have asked a person. */
export function advice(remote: Remote, said: string, what = 'read'): string {
  if (remote.kind === 'ssh') {
    if (/Host key verification failed/.test(said)) {
      return '\nThe host is not known to ssh on this machine: connect to it once by hand.';
    }
    if (/Permission denied|passphrase|password/i.test(said)) {
      return '\nssh would have asked: add the key to the SSH agent of the user who runs filepath (ssh-add).';
    }
  }
  if (remote.kind === 'url' && /could not read Username|Authentication failed/.test(said)) {
    return `\nPut a token that may ${what} it into the URL: https://TOKEN@host/…`;
  }
  return '';
}
