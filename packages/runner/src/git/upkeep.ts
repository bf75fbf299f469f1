import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { recordedMirror } from '../executor/borrowed-mirror.ts';
import type { Home } from '../home.ts';
import { type Log, reasonOf } from '../log.ts';
import { hostGit } from './host-git.ts';
import type { Mirrors } from './mirrors.ts';

const FIRST_MS = 5 * 60_000;
const EVERY_MS = 6 * 3_600_000;
const TIMEOUT_MS = 30 * 60_000;
const MOST_PACKS = 40;
/** Most refs that one look drops; the next one goes on. */
const MOST_DROPPED = 1000;
const DAY_MS = 24 * 3_600_000;

export type UpkeepContext = {
  home: Home;
  mirrors: Mirrors;
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Days after which a mirror that no home borrows from is removed. */
  days: number;
  firstMs?: number;
};

/**
 * Keeps mirrors small: many packs become one, and a mirror that nobody uses goes. No object of a mirror that is
 * borrowed from is ever dropped. One mirror at a time, while nothing else is done to it; a fetch does not wait for it.
 */
export class Upkeep {
  readonly #context: UpkeepContext;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> = Promise.resolve();

  constructor(context: UpkeepContext) {
    this.#context = context;
  }

  open(): void {
    this.#later(this.#context.firstMs ?? FIRST_MS);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#work;
  }

  /** Looks after every mirror once. */
  async sweep(): Promise<void> {
    const { home, mirrors, log } = this.#context;
    for (const name of readdirSync(home.mirrors)) {
      if (this.#closing.signal.aborted) return;
      // A removal that a kill interrupted.
      if (name.endsWith('.gone')) remove(join(home.mirrors, name));
      const id = /^([0-9a-f]{32})\.git$/.exec(name)?.[1];
      if (id === undefined) continue;
      try {
        await mirrors.inPassing(id, this.#closing.signal, (signal) => this.#look(id, signal));
      } catch (error) {
        log({ level: 'warn', event: 'fault', message: `mirror ${id}: ${reasonOf(error)}` });
      }
    }
  }

  #later(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#work = this.sweep()
        .catch((error: unknown) => {
          this.#context.log({ level: 'warn', event: 'fault', message: reasonOf(error) });
        })
        .finally(() => {
          if (!this.#closing.signal.aborted) this.#later(EVERY_MS);
        });
    }, ms);
    this.#timer.unref();
  }

  async #look(id: string, signal: AbortSignal): Promise<void> {
    const { home, mirrors, days } = this.#context;
    const path = mirrors.path(id);
    if (!existsSync(path)) return;
    const homes = homesOf(home);
    if (!homes.some(({ dir }) => recordedMirror({ dir }) === id)) {
      const { mtimeMs } = statSync(mirrors.meta(id), { throwIfNoEntry: false }) ?? statSync(path);
      if (Date.now() - mtimeMs > days * DAY_MS) return this.#remove(id);
    }
    await this.#dropRefs(path, new Set(homes.map(({ slug }) => slug)), signal);
    if (packsOf(path).length > MOST_PACKS) await this.#repack(id, path, signal);
  }

  #remove(id: string): void {
    const { home, mirrors, log } = this.#context;
    const gone = join(home.mirrors, `${id}.gone`);
    remove(gone);
    renameSync(mirrors.path(id), gone);
    remove(mirrors.meta(id));
    remove(gone);
    log({ level: 'info', event: 'mirror', message: `${id} was unused and is removed` });
  }

  /** Commits of agents whose homes are nowhere any more have no name. */
  async #dropRefs(path: string, slugs: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const gone: string[] = [];
    const list = ['for-each-ref', '--format=%(refname)', 'refs/filepath'];
    await this.#git(path, list, signal, (ref) => {
      const slug = /^refs\/filepath\/(.+)$/.exec(ref)?.[1];
      if (slug === undefined || slug === 'head' || slugs.has(slug)) return;
      if (gone.length < MOST_DROPPED) gone.push(ref);
    });
    for (const ref of gone) await this.#git(path, ['update-ref', '-d', ref], signal);
  }

  /** With everything that no ref leads to: a workspace may borrow it. */
  async #repack(id: string, path: string, signal: AbortSignal): Promise<void> {
    const before = packsOf(path).length;
    const small = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=256m'];
    try {
      await this.#git(path, [...small, 'repack', '-a', '-d', '-k', '--quiet'], signal);
    } finally {
      // What an interrupted one left: nobody else writes here now.
      const dir = join(path, 'objects', 'pack');
      for (const name of readdirSync(dir)) {
        if (/^(?:tmp_|\.tmp-)/.test(name)) remove(join(dir, name));
      }
    }
    const message = `${id}: ${before} packs became ${packsOf(path).length}`;
    this.#context.log({ level: 'info', event: 'mirror', message });
  }

  async #git(
    path: string,
    args: readonly string[],
    signal: AbortSignal,
    onOutLine: (line: string) => void = () => undefined,
  ): Promise<void> {
    const { env } = this.#context;
    const job = { remote: { kind: 'path' as const, shown: path }, env, signal, onOutLine };
    const all = [`--git-dir=${path}`, ...args];
    const result = await hostGit({ args: all, ...job, timeoutMs: TIMEOUT_MS });
    if (result.status === 0) return;
    throw new Error(signal.aborted ? 'it gave way' : result.said.trim().slice(-500));
  }
}

function homesOf(home: Home): { slug: string; dir: string }[] {
  return [home.agents, home.archive].flatMap((parent) =>
    readdirSync(parent).map((name) => ({
      slug: parent === home.archive ? name.replace(/-[^-]*$/, '') : name,
      dir: join(parent, name),
    })),
  );
}

const packsOf = (path: string): string[] =>
  readdirSync(join(path, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });
