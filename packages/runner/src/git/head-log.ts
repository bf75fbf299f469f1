import { type FSWatcher, fstatSync, readSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { RunnerBody } from '@filepath/protocol';
import { withDirectory, withFile } from '../beneath.ts';
import { createExclusive, readText } from '../files.ts';
import type { RunDir } from '../home.ts';
import { headOf, looseCommit } from './loose.ts';
import { type Move, parseMove, subjectOf } from './reflog.ts';

const READ_BYTES = 128 * 1024;
/** Most commits that are told of one epoch, and most that is read of what an agent left at its end. */
const MOST = 5_000;
const REST_READS = 64;
/** Most commits without a line in the log that are looked for at once. */
const UNLOGGED = 100;
const LOGS = ['.git', 'logs'];
const LOG = [...LOGS, 'HEAD'];

type Head = Extract<RunnerBody, { type: 'head' }>;

export type HeadLogOptions = {
  agentDir: string;
  run: RunDir;
  /** Those that were told before, by an earlier runner. */
  told: readonly (RunnerBody | null)[];
  observe(body: Head): void;
  /** HEAD is another than before, by a commit or by anything else. */
  moved(): void;
  redact(text: string): string;
  /** Something was added: it is time to look. */
  changed(): void;
};

/** Keeps where HEAD is and where its log ends before the process starts: what is added is this epoch's. Repeatable. */
export function markHeadLog(agentDir: string, run: RunDir): void {
  const workspace = join(agentDir, 'workspace');
  const size = withFile(workspace, LOG, (fd) => fstatSync(fd).size);
  createExclusive(run.head, `${size ?? 0} ${headOf(workspace) ?? ''}`);
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
  /** Where HEAD was, and where the log says it went. */
  #head: string;
  #logged = '';
  /** What was last told as moved to. */
  #at: string;
  #watcher: FSWatcher | null = null;
  #watched = 0;

  constructor(options: HeadLogOptions) {
    this.#options = options;
    this.#workspace = join(options.agentDir, 'workspace');
    this.#told = new Set(options.told.flatMap((body) => (body?.type === 'head' ? [body.to] : [])));
    const [offset, head = ''] = (readText(options.run.head) ?? '').split(' ');
    this.#offset = Number(offset) || 0;
    this.#head = head;
    this.#at = head;
  }

  /** To be called now and then: the watch only makes it sooner. */
  look(): void {
    this.#watch();
    // git adds to the log before it moves HEAD: what HEAD has now is in the log by then, or never.
    const head = headOf(this.#workspace);
    if (head !== null) this.#moved(head);
    if (!this.#read()) this.#unlogged(head);
  }

  /** When nothing of the process is left: everything it added. */
  finish(): void {
    const head = headOf(this.#workspace);
    for (let i = 0; i < REST_READS && this.#read(); i++);
    this.#unlogged(head);
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
    if (this.#logged !== '') this.#moved(this.#logged);
    return true;
  }

  #take(line: string): void {
    const move = parseMove(line);
    if (move === null) return;
    this.#logged = move.to;
    this.#tell(move);
  }

  #moved(to: string): void {
    if (to === this.#at) return;
    this.#at = to;
    this.#options.moved();
  }

  /** Commits of programs that write no log: those from HEAD back to a known one. */
  #unlogged(head: string | null): void {
    if (head === null || head === this.#head) return;
    const before = this.#head;
    this.#head = head;
    if (head === this.#logged) return;
    const moves: Move[] = [];
    for (let at = head; moves.length < UNLOGGED && at !== before && !this.#told.has(at);) {
      const move = looseCommit(this.#workspace, at);
      if (move === null) break;
      moves.push(move);
      at = move.from;
    }
    for (const move of moves.toReversed()) this.#tell(move);
  }

  #tell(move: Move): void {
    const subject = subjectOf(move);
    if (subject === null) return;
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
