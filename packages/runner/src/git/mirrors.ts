import { createHash } from 'node:crypto';
import { existsSync, realpathSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join, sep } from 'node:path';
import { z } from 'zod';
import { Refusal } from '../executor/executor.ts';
import { errorCode, readJson, syncAll, writeAtomic } from '../files.ts';
import type { Home } from '../home.ts';
import { Mailbox } from '../mailbox.ts';
import { fetchMirror, makeMirror } from './fetch.ts';
import { parseRemote, type Remote } from './remote.ts';

export type Update = {
  repository: string;
  signal: AbortSignal;
  /** How far the first fetch is, in a few words. */
  progress(step: string): void;
};

export type Mirror = {
  id: string;
  path: string;
  /** What is shown as `origin`. */
  shown: string;
  /** Why the mirror may be older than its remote. */
  note: string | null;
};

/**
 * Bare copies of remotes, one for each, made by git on the host. Workspaces borrow their objects, so no
 * object is ever pruned from one: see `upkeep.ts`.
 */
export class Mirrors {
  readonly #home: Home;
  readonly #env: NodeJS.ProcessEnv;
  readonly #mailbox = new Mailbox();
  /** Work in passing, which gives way to whatever else comes. */
  readonly #passing = new Map<string, AbortController>();

  constructor(home: Home, env: NodeJS.ProcessEnv) {
    this.#home = home;
    this.#env = env;
  }

  path(id: string): string {
    return join(this.#home.mirrors, `${id}.git`);
  }

  /** Says which remote it is; its time is when the mirror was last used. */
  meta(id: string): string {
    return join(this.#home.mirrors, `${id}.json`);
  }

  /** Runs a task while nothing else is done to the mirror. */
  exclusively<T>(id: string, task: () => Promise<T>): Promise<T> {
    this.#passing.get(id)?.abort();
    return this.#mailbox.run(id, task);
  }

  /** As `exclusively`, for a task that is given up as soon as something else is to be done to the mirror. */
  inPassing(
    id: string,
    signal: AbortSignal,
    task: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    return this.#mailbox.run(id, async () => {
      const giveWay = new AbortController();
      this.#passing.set(id, giveWay);
      try {
        await task(AbortSignal.any([signal, giveWay.signal]));
      } finally {
        this.#passing.delete(id);
      }
    });
  }

  /** The remote that a repository names, and the id of its mirror. Throws a Refusal. */
  identify(repository: string): { id: string; remote: Remote } {
    const remote = parseRemote(repository);
    if (remote.kind === 'path') this.#checkPath(remote.shown);
    return { id: idOf(remote), remote };
  }

  /** Brings the mirror up to date, one fetch at a time. Throws a Refusal where there is none and none can be made. */
  async update(job: Update): Promise<Mirror> {
    const { id, remote } = this.identify(job.repository);
    const work = this.exclusively(id, () => this.#update(id, remote, job));
    return givenUp(work, job.signal);
  }

  async #update(id: string, remote: Remote, job: Update): Promise<Mirror> {
    if (job.signal.aborted) throw new Refusal('the clone was given up');
    const path = this.path(id);
    const fetching = { remote, env: this.#env, ...job };
    const mirror = { id, path, shown: remote.shown };
    if (existsSync(path)) {
      this.#used(id);
      try {
        await fetchMirror(path, fetching);
        return { ...mirror, note: null };
      } catch (error) {
        if (!(error instanceof Refusal) || job.signal.aborted) throw error;
        return { ...mirror, note: error.message };
      }
    }
    const fresh = join(this.#home.mirrors, `${id}.new`);
    rmSync(fresh, { recursive: true, force: true });
    try {
      await makeMirror(fresh, fetching);
      writeAtomic(this.meta(id), JSON.stringify({ remote: remote.shown }));
      renameSync(fresh, path);
      await syncAll([path, this.#home.mirrors]);
      return { ...mirror, note: null };
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }

  #used(id: string): void {
    const now = new Date();
    if (existsSync(this.meta(id))) utimesSync(this.meta(id), now, now);
  }

  #checkPath(path: string): void {
    let real: string;
    try {
      real = realpathSync(path);
      if (!statSync(real).isDirectory())
        throw new Refusal(`cannot clone ${path}: it is not a directory`);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const code = errorCode(error);
      const why =
        code === 'ENOENT' ? 'there is nothing at this path' : (code ?? 'it cannot be read');
      throw new Refusal(`cannot clone ${path}: ${why}`);
    }
    // What an agent can write is no repository for git on the host.
    const ours = [this.#home.agents, this.#home.archive].map((dir) => realpathSync(dir));
    if (ours.some((dir) => `${real}${sep}`.startsWith(`${dir}${sep}`))) {
      throw new Refusal(
        `cannot clone ${path}: it belongs to an agent; give the repository it came from`,
      );
    }
  }
}

/** What the mirror at this path is a copy of, as it may be shown; null where nothing says it. */
export function shownMirror(path: string): string | null {
  const file = z.object({ remote: z.string() }).safeParse(readJson(path.replace(/git$/, 'json')));
  return file.data?.remote ?? null;
}

/** Credentials are part of what names a mirror: without them nobody gets what was fetched with them. */
function idOf(remote: Remote): string {
  const hash = createHash('sha256');
  hash.update(remote.kind === 'path' ? realpathSync(remote.shown) : remote.shown);
  if (remote.kind === 'url' && remote.credentials !== null) {
    hash.update(JSON.stringify(remote.credentials));
  }
  return hash.digest('hex').slice(0, 32);
}

/** Who is told to stop does not wait for another's fetch. */
async function givenUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const give = (): void => aborted.reject(new Refusal('the clone was given up'));
  signal.addEventListener('abort', give, { once: true });
  if (signal.aborted) give();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', give);
  }
}
