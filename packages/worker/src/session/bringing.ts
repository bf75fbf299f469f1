import {
  FilepathError,
  type MergeInto,
  type MergeTarget,
  type NodeConflict,
  type NodeOverlap,
  ThreadId,
  Touched,
} from '@filepath/protocol';
import type { Env } from '../env.ts';
import { notFound } from '../result.ts';
import { first, type Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import type { MergeNote } from '../thread/outbox.ts';
import { ASKED_MERGES_TABLE, type AskedMerge, AskedMerges } from './asked-merges.ts';
import { Handing, type Touch } from './handing.ts';
import { slugOf } from './names.ts';
import { conflictIn, type NodeRow, overlapsIn } from './node-row.ts';
import { isTask, type Notice, Notices, NOTICES_TABLE } from './notices.ts';
import { overlapsOf } from './overlaps.ts';
import type { Session } from './session.ts';
import { Taking } from './taking.ts';

/** What a node shows of the newest report, as JSON. */
export const WORK_COLUMN = 'ALTER TABLE nodes ADD COLUMN work TEXT';

export const BRINGING_TABLES: readonly string[] = [
  // Who changed the same lines, and why the last merge could not be done, as JSON.
  'ALTER TABLE nodes ADD COLUMN overlaps TEXT',
  'ALTER TABLE nodes ADD COLUMN conflict TEXT',
  // What an agent changed, as it was last told (empty: it was not), and the commit of it that its parent has.
  'CREATE TABLE touched (thread TEXT PRIMARY KEY, report TEXT NOT NULL, merged TEXT)',
  NOTICES_TABLE,
];

export const WAITING_TABLES: readonly string[] = [
  // What was merged into a node's branch and waits to be taken, as JSON.
  'ALTER TABLE nodes ADD COLUMN waiting TEXT',
  // The seq at which its last run ended, and of the end after which it was at rest.
  'ALTER TABLE nodes ADD COLUMN ended INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE nodes ADD COLUMN rested INTEGER NOT NULL DEFAULT 0',
  ASKED_MERGES_TABLE,
];

/** Whose work it is, and where it goes. */
export type MergePlan = { name: string; target: MergeTarget };

type TouchedRow = { thread: string; report: string; merged: string | null };

/** Bringing the work of a tree together: who changes the same, what was merged into what, and what could not be. */
export class Bringing {
  readonly handing: Handing;
  #notices: Notices;
  #asked: AskedMerges;
  #taking: Taking;
  #session: Session;
  #sql: Sql;

  constructor(session: Session, sql: Sql) {
    this.#session = session;
    this.#sql = sql;
    this.#notices = new Notices(sql);
    this.#asked = new AskedMerges(sql);
    this.#taking = new Taking(session, this.#notices, this.#asked);
    this.handing = new Handing(session, this.#notices, this.#asked);
  }

  /** The session's own branch; its name is kept when the session is renamed. */
  branch(): string {
    const known = readValue<string>(this.#sql, 'branch');
    if (known !== null) return known;
    const made = `filepath/${slugOf(this.#session.meta.name)}`;
    writeValue(this.#sql, 'branch', made);
    return made;
  }

  /** Where a node's work goes: where nobody says, to its parent, and of a root to the session. Refused where it cannot. */
  target(id: string, wanted: MergeInto | undefined): MergePlan {
    const row = this.#find(id);
    if (this.#session.meta.gitRepoUrl === null) {
      throw new FilepathError('conflict', 'this session has no repository: there is no branch');
    }
    const { name } = row;
    const into = wanted ?? (row.parent_id === null ? 'session' : 'parent');
    if (into === 'session') return { name, target: { into, branch: this.branch() } };
    const parent = row.parent_id === null ? null : this.#session.nodes.find(row.parent_id);
    if (!parent) {
      throw new FilepathError(
        'conflict',
        `${name} has no parent: merge its work into the branch of the session`,
      );
    }
    const thread = ThreadId.parse(parent.id);
    const atWork = parent.open === 1;
    return { name, target: { into, thread, slug: parent.slug, name: parent.name, atWork } };
  }

  /** Where the merge goes that met the node's conflict. */
  targetAgain(id: string): MergePlan {
    const { conflict } = this.#find(id);
    return this.target(id, conflict === null ? undefined : conflictIn(conflict).into);
  }

  /** What an agent changed. The same again changes nothing. */
  noteTouched(thread: string, touched: Touched): void {
    const row = this.#session.nodes.find(thread);
    const report = JSON.stringify(touched);
    if (!row || this.#touchedOf(thread)?.report === report) return;
    this.#session.alter((touch) => {
      this.#sql.run(
        `INSERT INTO touched (thread, report) VALUES (?, ?)
         ON CONFLICT (thread) DO UPDATE SET report = excluded.report`,
        thread,
        report,
      );
      const { head, dirty, files } = touched;
      touch(thread, { work: JSON.stringify({ head, dirty, files: files.length }) });
      this.#compare(row, touch);
    });
  }

  /** How a merge of a node's work ended. */
  noteMerge(thread: string, result: MergeNote): void {
    const row = this.#session.nodes.find(thread);
    if (!row) return;
    const parent = result.into === 'parent' ? (result.parent ?? row.parent_id) : null;
    if (parent !== null && parent !== row.parent_id) return this.#noteElsewhere(parent, result);
    this.#session.alter((touch) => {
      if (result.type === 'conflict') {
        // Told again it changes nothing: meanwhile it may have become a task.
        if (row.conflict !== null && conflictIn(row.conflict).job === result.job) return;
        const conflict = { ...conflictOf(result), seq: this.#session.meta.head };
        touch(thread, { conflict: JSON.stringify({ ...conflict, ...this.#heldStill(row) }) });
        if (result.hand) this.handing.toItself(thread, result.job, conflict, touch);
        this.handing.mergeEnded(thread);
        return;
      }
      if (row.conflict !== null && conflictIn(row.conflict).into === result.into) {
        touch(thread, { conflict: null });
      }
      // What a root has merged into the session is where it belongs; a child's work belongs to its parent.
      if (parent === row.parent_id) {
        this.#sql.run(
          `INSERT INTO touched (thread, report, merged) VALUES (?, '', ?)
           ON CONFLICT (thread) DO UPDATE SET merged = excluded.merged`,
          thread,
          result.from,
        );
        this.#compare(row, touch);
      }
      if (parent !== null) this.#taking.merged(this.#find(parent), result, touch);
      this.handing.mergeEnded(thread);
    });
  }

  /** A merge of a node's work failed: whoever waits for its end is not to wait for ever. */
  noteMergeFailed(thread: string): void {
    this.handing.notTried(thread);
    this.#session.alter(() => this.handing.mergeEnded(thread));
  }

  /** A run of this agent has begun. `by`: what it is known by. */
  began(thread: string, by: string): void {
    const row = this.#session.nodes.find(thread);
    if (row) this.#taking.began(row, by);
  }

  /** A run of this agent has ended. Said again it changes nothing. */
  ended(thread: string, seq: number): void {
    const row = this.#session.nodes.find(thread);
    if (!row || row.ended >= seq) return;
    this.#session.nodes.update(thread, { ended: seq });
    this.rests(thread);
  }

  /** What waited for the end of a run goes on when the agent is at work no more, which its thread may tell later. */
  rests(thread: string): void {
    const row = this.#session.nodes.find(thread);
    if (!row || row.open === 1 || row.ended <= row.rested) return;
    this.#session.alter((touch) => {
      this.#session.nodes.update(thread, { rested: row.ended });
      this.#taking.ended(row, touch);
      this.handing.ended(thread, row.ended);
    });
  }

  /** Merges that are to be ordered. */
  asked(): AskedMerge[] {
    return this.#asked.all();
  }

  async order(env: Env, ask: AskedMerge): Promise<void> {
    if (await this.#asked.order(env, ask, (id, into) => this.target(id, into))) return;
    this.noteMergeFailed(ask.thread);
  }

  /** A node has another parent: what was merged into the one before, or conflicts with it, says nothing of this one. */
  moved(id: string): void {
    const row = this.#find(id);
    this.#session.alter((touch) => {
      this.#sql.run('UPDATE touched SET merged = NULL WHERE thread = ?', id);
      if (row.conflict !== null && conflictIn(row.conflict).into === 'parent') {
        touch(id, { conflict: null });
      }
      this.#compare(row, touch);
    });
  }

  /** Nobody overlaps with a node that is gone. */
  forget(): void {
    const rows = this.#session.nodes.live();
    const live = new Set<string>(rows.map(({ id }) => id));
    this.#session.alter((touch) => {
      for (const row of rows) {
        const before = overlapsIn(row.overlaps);
        const left = before.filter(({ node }) => live.has(node));
        if (left.length < before.length) touch(row.id, { overlaps: columnOf(left) });
      }
      this.#sql.run(
        `DELETE FROM touched WHERE thread NOT IN (SELECT id FROM nodes WHERE phase IN ('intent', 'ready'))`,
      );
    });
    this.handing.giveBack((holder) => !live.has(holder));
  }

  /** What is still to be told. */
  waiting(): Notice[] {
    return this.#notices.waiting();
  }

  async deliver(env: Env, notice: Notice): Promise<void> {
    const { thread } = notice;
    const row = this.#session.nodes.find(thread);
    const runs = row?.stopped === 0 && row.halt !== 0;
    // A root has no parent: what it gets to do comes from a person. One that is stopped is let go on by no word of ours.
    const from = row?.parent_id === null && runs ? 'user' : 'parent';
    const seq = await this.#notices.deliver(env, notice, from);
    if (!isTask(notice)) return;
    if (seq === null) return this.handing.giveBack((holder) => holder === thread);
    this.handing.taskTold(thread, seq);
    // It may have been at rest before this was known.
    const rested = this.#session.nodes.find(thread)?.rested ?? 0;
    if (rested > seq) this.#session.alter(() => this.handing.ended(thread, rested));
  }

  /** It was merged into a parent that the node has no more: that one is told, and nothing else changes. */
  #noteElsewhere(parent: string, result: MergeNote): void {
    const row = this.#session.nodes.find(parent);
    if (result.type === 'conflict' || !row) return;
    this.#session.alter((touch) => this.#taking.merged(row, result, touch));
  }

  /** Who has the conflict before as a task and is still at work on it. */
  #heldStill({ id, conflict }: NodeRow): Partial<NodeConflict> {
    if (conflict === null) return {};
    const { handed, holder, told } = conflictIn(conflict);
    if (!handed || this.#session.nodes.find(holder ?? id)?.open !== 1) return {};
    return { handed, ...(holder && { holder }), ...(told !== undefined && { told }) };
  }

  /** Compares a node with those beside, above and below it; those that newly overlap are told. */
  #compare(row: NodeRow, touch: Touch): void {
    const own = this.#workOf(row.id);
    const beside = this.#session.nodes.neighbours(row);
    // One of the two may have moved elsewhere in the tree since.
    const apart = overlapsIn(row.overlaps)
      .filter(({ node }) => !beside.some(({ id }) => id === node))
      .flatMap(({ node }) => this.#session.nodes.find(node) ?? []);
    for (const other of [...beside, ...apart]) {
      const theirs = apart.includes(other) ? null : this.#workOf(other.id);
      const files = own === null || theirs === null ? [] : overlapsOf(own, theirs);
      // The rows may have been written by the comparison before.
      const [one, two] = [this.#find(row.id), this.#find(other.id)];
      const known = overlapsIn(one.overlaps).find(({ node }) => node === two.id)?.files ?? [];
      if (files.join('\0') === known.join('\0')) continue;
      const fresh = files.filter((file) => !known.includes(file));
      for (const [each, twin] of [
        [one, two],
        [two, one],
      ] as const) {
        const node = ThreadId.parse(twin.id);
        const rest = overlapsIn(each.overlaps).filter((overlap) => overlap.node !== node);
        touch(each.id, {
          overlaps: columnOf(files.length === 0 ? rest : [...rest, { node, files }]),
        });
        if (fresh.length === 0) continue;
        const key = `overlap:${each.id}:${twin.id}:${this.#session.meta.head}`;
        const { name } = twin;
        this.#notices.event(each.id, key, { type: 'overlap', node, name, files: fresh });
      }
    }
  }

  /** Null: nothing is known, or its parent has all of it. */
  #workOf(id: string): Touched | null {
    const row = this.#touchedOf(id);
    if (row === null || row.report === '') return null;
    const work = Touched.parse(JSON.parse(row.report));
    return work.head === row.merged && !work.dirty ? null : work;
  }

  #touchedOf(id: string): TouchedRow | null {
    return first<TouchedRow>(this.#sql, 'SELECT * FROM touched WHERE thread = ?', id);
  }

  #find(id: string): NodeRow {
    const row = this.#session.nodes.find(id);
    if (!row) throw notFound('this node');
    return row;
  }
}

const columnOf = (overlaps: readonly NodeOverlap[]): string | null =>
  overlaps.length === 0 ? null : JSON.stringify(overlaps);

function conflictOf({
  into,
  target,
  ours,
  from,
  files,
  job,
}: Extract<MergeNote, { type: 'conflict' }>): Omit<NodeConflict, 'seq'> {
  return {
    into,
    target,
    ours,
    theirs: from,
    files: files.map(({ path }) => path),
    handed: false,
    job,
  };
}
