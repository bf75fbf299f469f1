import { execFile } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { showBytes } from '../limits/settings.ts';
import { type Log, reasonOf } from '../log.ts';
import type { DiskSettings } from './settings.ts';
import { diskUsage } from './usage.ts';

const run = promisify(execFile);
const DAY_MS = 24 * 3_600_000;

export type ArchiveContext = {
  path: string;
  settings: Pick<DiskSettings, 'archiveDays' | 'archiveBytes'>;
  /** Remembers which uids were given: files in the archive are no longer there to say so. */
  keepUids(): Promise<void>;
  log: Log;
};

type Entry = { name: string; at: number };

/** Homes of deleted agents, kept for some days and up to some size. */
export class Archive {
  readonly #context: ArchiveContext;
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(context: ArchiveContext) {
    this.#context = context;
  }

  /** In the background, now and once a day. */
  open(): void {
    const prune = (): void => {
      this.#work = this.#work.then(() => this.prune()).catch((error: unknown) => this.#fail(error));
    };
    prune();
    this.#timer = setInterval(prune, DAY_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#closing.abort();
    await this.#work;
  }

  /** What a kill leaves half deleted keeps its name, and goes the next time. */
  async prune(now = Date.now()): Promise<void> {
    const { settings } = this.#context;
    const entries = this.#entries();
    const old = entries.filter(({ at }) => now - at > settings.archiveDays * DAY_MS);
    for (const entry of old) {
      await this.#remove(entry, `it is older than ${settings.archiveDays} days`);
    }
    if (!Number.isFinite(settings.archiveBytes)) return;
    let total = 0;
    const kept = entries.filter((entry) => !old.includes(entry));
    for (const entry of kept.toSorted((a, b) => b.at - a.at)) {
      if (this.#closing.signal.aborted) return;
      total += (await diskUsage([join(this.#context.path, entry.name)], this.#closing.signal)) ?? 0;
      if (total <= settings.archiveBytes) continue;
      await this.#remove(entry, `the archive keeps ${showBytes(settings.archiveBytes)}`);
    }
  }

  #entries(): Entry[] {
    const { path } = this.#context;
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ name, at: timeOf(name) ?? lstatSync(join(path, name)).mtimeMs }));
  }

  async #remove({ name }: Entry, why: string): Promise<void> {
    const { path, log } = this.#context;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    try {
      await this.#context.keepUids();
      // It follows no link, and takes trees that are deeper than a path may be long.
      await run('nice', ['-n', '19', 'rm', '-rf', '--', join(path, name)], { signal });
      log({ level: 'info', event: 'pruned', message: `${name} is deleted: ${why}` });
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const message = `the archive could not be pruned: ${reasonOf(error)}`;
    this.#context.log({ level: 'warn', event: 'fault', message });
  }
}

/** When a home was put here, by its name. */
function timeOf(name: string): number | null {
  const parts = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(name)?.slice(1);
  if (parts === undefined) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, ms = 0] =
    parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}
