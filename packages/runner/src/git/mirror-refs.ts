import { Refusal } from '../executor/executor.ts';
import { type GitResult, hostGit } from './host-git.ts';

const TIMEOUT_MS = 60_000;

/** Where results of merges into an agent's branch are in its mirror, until its workspace has them. */
export const mergedRef = (slug: string): string => `refs/merged/${slug}`;

/** The last of these that the workspace had. */
export const takenRef = (slug: string): string => `refs/taken/${slug}`;

/** Where a session's branch is in the mirror. */
export const sessionRef = (branch: string): string => `refs/sessions/${branch}`;

/** By what merges into one branch wait for each other: an agent's, by its slug, or a session's. */
export const targetKey = (mirror: string, branch: string): string => `${mirror}/${branch}`;

/** Commits and refs of one mirror, by git on the host. */
export class MirrorRefs {
  readonly #mirror: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #signal: AbortSignal;

  constructor(mirror: string, env: NodeJS.ProcessEnv, signal: AbortSignal) {
    this.#mirror = mirror;
    this.#env = env;
    this.#signal = signal;
  }

  /** The commit that a name stands for, or null. */
  async commit(name: string): Promise<string | null> {
    const { status, out } = await this.#git([
      'rev-parse',
      '--verify',
      '--quiet',
      `${name}^{commit}`,
    ]);
    return status === 0 ? out.trim() : null;
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    return (await this.#git(['merge-base', '--is-ancestor', older, newer])).status === 0;
  }

  async parentsOf(commit: string): Promise<string[]> {
    const { out } = await this.#git(['rev-list', '--parents', '--max-count=1', commit]);
    return out.trim().split(' ').slice(1);
  }

  /** Branches of the remote, as they were fetched last, that have this commit; a few of them where there are many. */
  async branchesWith(commit: string): Promise<string[]> {
    const format = '--format=%(refname:lstrip=2)';
    const { out } = await this.#git(['for-each-ref', format, '--contains', commit, 'refs/heads']);
    return out.split('\n').filter((name) => name !== '');
  }

  /** Moves a ref that stands at `old`; null: that does not exist. Throws a Refusal where it stands elsewhere. */
  async move(ref: string, to: string, old: string | null): Promise<void> {
    const before = old ?? '0'.repeat(to.length);
    const { status, said } = await this.#git(['update-ref', ref, to, before]);
    if (status === 0) return;
    throw new Refusal(`${ref} was moved by another at the same time: ask again. ${said.trim()}`);
  }

  /** Where nobody else writes it, or all write the same. */
  async set(ref: string, to: string): Promise<void> {
    const { status, said } = await this.#git(['update-ref', ref, to]);
    if (status !== 0) throw new Refusal(`${ref} could not be written: ${said.trim()}`);
  }

  async #git(args: readonly string[]): Promise<GitResult> {
    const result = await hostGit({
      args: [`--git-dir=${this.#mirror}`, ...args],
      remote: { kind: 'path', shown: this.#mirror },
      env: this.#env,
      signal: this.#signal,
      timeoutMs: TIMEOUT_MS,
    });
    if (this.#signal.aborted) throw new Error('the runner is stopping');
    return result;
  }
}
