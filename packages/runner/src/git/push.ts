import type { JobWork } from '@filepath/protocol';
import { existsSync } from 'node:fs';
import { recordedMirror } from '../executor/borrowed-mirror.ts';
import { type Place, Refusal } from '../executor/executor.ts';
import type { WorkspaceTools } from '../jobs/workspace-command.ts';
import type { Mailbox } from '../mailbox.ts';
import { bringBack } from './bring.ts';
import { advice, wordsOf } from './fetch.ts';
import { type GitResult, hostGit } from './host-git.ts';
import { MirrorRefs, sessionRef, targetKey } from './mirror-refs.ts';
import type { Mirrors } from './mirrors.ts';
import type { Remote } from './remote.ts';
import { apartWords, branchAt, withWaiting } from './waiting-work.ts';

const TIMEOUT_MS = 10 * 60_000;

/**
 * What takes the push in a repository on this machine. Its own configuration is overruled: its hooks, programs and a
 * checkout of what was pushed do not run.
 */
const RECEIVE = `git ${[
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=true',
  'receive.denyCurrentBranch=refuse',
  'receive.autogc=false',
  'receive.fsckObjects=true',
]
  .map((option) => `-c ${option}`)
  .join(' ')} receive-pack`;

const OPTIONS = ['--no-verify', '--no-signed', '--recurse-submodules=no', '--no-follow-tags'];

export type Push = WorkspaceTools & {
  place: Place;
  mirrors: Mirrors;
  work: Extract<JobWork, { type: 'push' }>;
  /** One merge into a branch at a time. */
  targets: Mailbox;
  signal: AbortSignal;
};

export type Pushed = { remote: string; branch: string; commit: string };

/** Brings the agent's commits into its mirror and pushes them from there, by git on the host. Throws a Refusal. */
export async function push(job: Push): Promise<Pushed> {
  const { place, mirrors, work, signal } = job;
  const { id, remote } = await reachable(async () => mirrors.identify(work.repository));
  const recorded = recordedMirror(place);
  if (recorded !== null && recorded !== id) {
    throw new Refusal('the workspace was made from another repository than the session has now');
  }
  // A workspace that was not made from the repository borrows nothing: there may be no mirror yet.
  if (recorded === null || !existsSync(mirrors.path(id))) {
    const update = { repository: work.repository, signal, progress: () => undefined };
    await reachable(() => mirrors.update(update));
  }
  const mirror = mirrors.path(id);
  const exclusively = <T>(task: () => Promise<T>): Promise<T> => mirrors.exclusively(id, task);
  const commit = await source(job, { id, mirror, exclusively });
  const branch = work.branch ?? work.session ?? `filepath/${place.slug}`;
  if (work.branch === undefined && work.session === undefined) {
    // What agents have pushed of the same is no reason against it.
    const there = (await new MirrorRefs(mirror, job.env, signal).branchesWith(commit)).filter(
      (name) => !name.startsWith('filepath/'),
    );
    if (there.length > 0) {
      throw new Refusal(
        `there is nothing to push: ${there[0]} of ${remote.shown} has all that is committed. Name a branch to make one there`,
      );
    }
  }
  const result = await exclusively(() =>
    hostGit({
      args: [
        `--git-dir=${mirror}`,
        'push',
        ...OPTIONS,
        ...(remote.kind === 'path' ? [`--receive-pack=${RECEIVE}`] : []),
        ...(work.force ? ['--force'] : []),
        '--',
        remote.shown,
        `${commit}:refs/heads/${branch}`,
      ],
      remote,
      env: job.env,
      signal,
      timeoutMs: TIMEOUT_MS,
    }),
  );
  if (result.status === 0) return { remote: remote.shown, branch, commit };
  if (signal.aborted) throw new Error('the runner is stopping');
  throw new Refusal(refusal(result, remote, branch));
}

/** Where nothing can be fetched from, nothing is pushed to, for the same reason. */
async function reachable<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.message.replace(/^cannot clone /, 'cannot push to '));
  }
}

type Source = {
  id: string;
  mirror: string;
  exclusively: <T>(task: () => Promise<T>) => Promise<T>;
};

/** What is pushed: the session's branch, which is in the mirror, or the agent's with what waits to be taken by it. */
async function source(job: Push, { id, mirror, exclusively }: Source): Promise<string> {
  const { place } = job;
  const { session } = job.work;
  const refs = new MirrorRefs(mirror, job.env, job.signal);
  if (session === undefined) {
    const means = { ...job, mirror, exclusively, refs };
    return job.targets.run(targetKey(id, place.slug), async () => {
      const tip = await bringBack(means);
      const whole = await withWaiting(means, await branchAt(refs, place.slug, tip), place.slug);
      if (typeof whole === 'string') return whole;
      throw new Refusal(apartWords(place.slug, whole));
    });
  }
  const commit = await refs.commit(sessionRef(session));
  if (commit !== null) return commit;
  throw new Refusal('nothing was merged into the branch of the session yet');
}

function refusal(result: GitResult, remote: Remote, branch: string): string {
  if (result.timedOut) return `${remote.shown} did not take the push within 10 minutes`;
  const said = wordsOf(result, remote).replaceAll(/^(?:hint|remote: hint): .*\n?/gm, '');
  return `${remote.shown} did not take the push: ${said.trim()}${pushAdvice(remote, branch, said)}`;
}

function pushAdvice(remote: Remote, branch: string, said: string): string {
  if (/checked out/.test(said)) {
    return `\nThe branch ${branch} is checked out there: push to another one, or check another one out in it.`;
  }
  if (/non-fast-forward|fetch first|stale info/.test(said)) {
    return `\nThe branch ${branch} has other commits there: push to another branch, or with force.`;
  }
  if (/403|not permitted|read.only|permission to .* denied/i.test(said)) {
    return '\nThe credentials may read it only: use some that may write.';
  }
  return advice(remote, said, 'write');
}
