import { type FSWatcher, fstatSync, readSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { RunnerBody } from '@filepath/protocol';
import { withDirectory, withFile } from '../beneath.ts';
import { createExclusive, readText } from '../files.ts';
import type { RunDir } from '../home.ts';
import { parseMove, subjectOf } from './reflog.ts';

const READ_BYTES = 128 * 1024;
/** Most commits that are told of one epoch, and most that is read of what an agent left at its end. */
const MOST = 5_000;
const REST_READS = 64;
const LOGS = ['.git', 'logs'];
const LOG = [...LOGS, 'HEAD'];

type Head = Extract<RunnerBody, { type: 'head' }>;

export type HeadLogOptions = {
  agentDir: string;
  run: RunDir;
  /** Those that were told before, by an earlier runner. */
  told: readonly (RunnerBody | null)[];
  observe(body: Head): void;
  redact(text: string): string;
  /** Something was added: it is time to look. */
  changed(): void;
};

/** Keeps where the log of HEAD ends before the process starts: what is added is this epoch's. Repeatable. */
export function markHeadLog(agentDir: string, run: RunDir): void {
  const size = withFile(join(agentDir, 'workspace'), LOG, (fd) => fstatSync(fd).size);
  createExclusive(run.head, String(size ?? 0));
}

/**
 * Finds commits by what git adds to the log of HEAD in the workspace. All of it is the agent's text: nothing is
 * run or followed for it. A restarted runner reads the epoch's part again; the hash of a commit says whether it was told.
 */
export class HeadLog {
  readonly #options: HeadLogOptions;
  readonly #workspace: string;
  readonly #told: Set<string>;
  #offset: number;
  #file = 0;
  #watcher: FSWatcher | null = null;
  #watched = 0;

  constructor(options: HeadLogOptions) {
    this.#options = options;
    this.#workspace = join(options.agentDir, 'workspace');
    this.#told = new Set(options.told.flatMap((body) => (body?.type === 'head' ? [body.to] : [])));
    this.#offset = Number(readText(options.run.head) ?? 0) || 0;
  }

  /** To be called now and then: the watch only makes it sooner. */
  look(): void {
    this.#watch();
    this.#read();
  }

  /** When nothing of the process is left: everything it added. */
  finish(): void {
    for (let i = 0; i < REST_READS && this.#read(); i++);
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }

  #watch(): void {
    withDirectory(this.#workspace, LOGS, (fd) => {
      const { ino } = fstatSync(fd);
      if (this.#watched === ino) return;
      this.close();
      this.#watched = ino;
      this.#watcher = watch(`/proc/self/fd/${fd}`, { persistent: false }, () =>
        this.#options.changed(),
      );
      this.#watcher.on('error', () => this.close());
    });
  }

  /** Says whether there may be more. */
  #read(): boolean {
    if (this.#told.size >= MOST) return false;
    const bytes = withFile(this.#workspace, LOG, (fd) => {
      const { ino, size } = fstatSync(fd);
      // Another file in its place, or a shorter one: it is read from its beginning.
      if ((this.#file !== 0 && ino !== this.#file) || size < this.#offset) this.#offset = 0;
      this.#file = ino;
      if (size === this.#offset) return null;
      const buffer = Buffer.alloc(Math.min(READ_BYTES, size - this.#offset));
      return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, this.#offset));
    });
    if (bytes === null || bytes.length === 0) return false;
    const whole = bytes.lastIndexOf(10) + 1;
    if (whole === 0 && bytes.length < READ_BYTES) return false;
    this.#offset += whole === 0 ? bytes.length : whole;
    for (const line of bytes.toString('utf8', 0, whole).split('\n')) this.#take(line);
    return true;
  }

  #take(line: string): void {
    const move = parseMove(line);
    const subject = move === null ? null : subjectOf(move);
    if (move === null || subject === null) return;
    if (this.#told.has(move.to) || this.#told.size >= MOST) return;
    this.#told.add(move.to);
    const options = this.#options;
    const ref = this.#ref();
    options.observe({
      type: 'head',
      epoch: options.run.epoch,
      from: move.from,
      to: move.to,
      ...(ref === null ? {} : { ref: options.redact(ref).slice(0, 256) }),
      message: options.redact(subject).slice(0, 1024),
    });
  }

  #ref(): string | null {
    return withFile(this.#workspace, ['.git', 'HEAD'], (fd) => {
      const buffer = Buffer.alloc(512);
      const text = buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0));
      return /^ref: (refs\/heads\/\S+)\n$/.exec(text)?.[1] ?? null;
    });
  }
}
