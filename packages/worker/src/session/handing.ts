import { FilepathError, type NodeConflict, type ResolveBy, ThreadId } from '@filepath/protocol';
import { notFound } from '../result.ts';
import type { AskedMerges } from './asked-merges.ts';
import { toJoin, toResolve } from './merge-words.ts';
import { conflictIn, type NodeRow, waitingIn } from './node-row.ts';
import type { Notices } from './notices.ts';
import type { Given, Session } from './session.ts';

export type Touch = (id: string, change: Partial<NodeRow>) => void;

/** `once`: not one that is a task already. `given`: what a new agent is judged by. */
export type Resolving = { by?: ResolveBy; once?: boolean; given?: Given };

/** Who has a conflict as a task. */
export class Handing {
  #session: Session;
  #notices: Notices;
  #asked: AskedMerges;

  constructor(session: Session, notices: Notices, asked: AskedMerges) {
    this.#session = session;
    this.#notices = notices;
    this.#asked = asked;
  }

  /** Makes a node's conflict somebody's task, and says whose. */
  resolve(id: string, key: string, { by = 'agent', once = false, given }: Resolving): ThreadId {
    const row = this.#find(id);
    if (row.conflict === null) {
      throw new FilepathError('conflict', `${row.name} has no conflict: ask for a merge first`);
    }
    const conflict = conflictIn(row.conflict);
    const self = ThreadId.parse(id);
    if (once && conflict.handed) return conflict.holder ?? self;
    if (by === 'agent') {
      this.#session.alter((touch) => this.toItself(id, key, conflict, touch));
      return self;
    }
    const holder =
      by === 'parent' ? this.#toParent(row, key, conflict) : this.#toNew(row, conflict, given);
    const { told: _, ...known } = conflict;
    // One that was made for it has the task from its beginning.
    const told = by === 'new' ? { told: 0 } : {};
    const handed = JSON.stringify({ ...known, handed: true, holder, ...told });
    this.#session.alter((touch) => touch(id, { conflict: handed }));
    return holder;
  }

  /** In the caller's transaction. */
  toItself(id: string, key: string, conflict: NodeConflict, touch: Touch): void {
    const waits = waitingIn(this.#find(id).waiting) && conflict.theirs;
    this.#notices.task(id, `resolve:${key}`, toResolve(conflict, waits));
    const { holder: _, told: _before, ...known } = conflict;
    touch(id, { conflict: JSON.stringify({ ...known, handed: true }) });
  }

  /** The kind of agent that a new one would be, for a conflict of this node. */
  kindFor(id: string): string {
    return this.#makerOf(this.#find(id)).agent_type;
  }

  /** Nobody has those that `fits` names the holder of: a person is asked again. */
  giveBack(fits: (holder: string) => boolean): void {
    this.#giveBack(
      this.#handed()
        .filter(({ holder }) => fits(holder))
        .map(({ row }) => row),
    );
  }

  /** A merge of this node could not be tried: whoever has its conflict as a task and is not at work has it no more. */
  notTried(id: string): void {
    const row = this.#session.nodes.find(id);
    if (!row || row.conflict === null) return;
    const { handed, holder = id } = conflictIn(row.conflict);
    if (handed && this.#session.nodes.find(holder)?.open === 1) return;
    this.#giveBack([row]);
  }

  /** The conflict is put away: nothing is merged, and a merge can be asked for again. */
  leave(id: string): void {
    if (this.#find(id).conflict === null) return;
    this.#session.alter((touch) => touch(id, { conflict: null }));
  }

  /** Whoever was given a task has it in its log, at this seq. */
  taskTold(holder: string, told: number): void {
    this.#session.alter((touch) => {
      for (const { row, conflict } of this.#handed(holder)) {
        if (conflict.told !== undefined) continue;
        touch(row.id, { conflict: JSON.stringify({ ...conflict, told }) });
      }
    });
  }

  /**
   * A run of this agent has ended at this seq, in the caller's transaction: the merges whose conflicts were its task are
   * asked for again. What an agent that was made for it has joined is merged first.
   */
  ended(holder: string, seq: number): void {
    for (const { row, conflict } of this.#handed(holder)) {
      if (conflict.told === undefined || conflict.told >= seq) continue;
      this.#asked.ask(isMade(row, holder) ? holder : row.id, conflict.into);
    }
  }

  /** The work of this agent was merged, or could not be, in the caller's transaction: now those whose conflict it has. */
  mergeEnded(holder: string): void {
    for (const { row, conflict } of this.#handed(holder)) {
      if (isMade(row, holder)) this.#asked.ask(row.id, conflict.into);
    }
  }

  #handed(by?: string): { row: NodeRow; conflict: NodeConflict; holder: string }[] {
    return this.#session.nodes.live().flatMap((row) => {
      if (row.conflict === null) return [];
      const conflict = conflictIn(row.conflict);
      const { handed, holder = row.id } = conflict;
      return handed && (by === undefined || by === holder) ? [{ row, conflict, holder }] : [];
    });
  }

  #giveBack(rows: readonly NodeRow[]): void {
    if (rows.length === 0) return;
    const seq = this.#session.meta.head;
    this.#session.alter((touch) => {
      for (const { id, conflict } of rows) {
        const { holder: _, told: _before, ...known } = conflictIn(conflict ?? '');
        touch(id, { conflict: JSON.stringify({ ...known, handed: false, seq }) });
      }
    });
  }

  #toParent(row: NodeRow, key: string, conflict: NodeConflict): ThreadId {
    const { parent_id: parent, name } = row;
    if (conflict.into === 'session' || parent === null) {
      throw new FilepathError(
        'conflict',
        `the branch ${conflict.target} is no agent's: give the conflict to ${name}, or to a new agent`,
      );
    }
    const words = toJoin(name, conflict, [conflict.ours, theirsOf(row, conflict)]);
    this.#session.alter(() => this.#notices.task(parent, `resolve:${key}`, words));
    return ThreadId.parse(parent);
  }

  /** One for each conflict, below the agent that is to have the result. */
  #toNew(row: NodeRow, conflict: NodeConflict, given?: Given): ThreadId {
    const maker = this.#makerOf(row);
    // Its workspace begins with what its parent has: where that is the node, with the work itself.
    const work = maker.id === row.id ? [] : [theirsOf(row, conflict)];
    const wish = {
      key: `resolve:${conflict.job ?? ''}:${conflict.seq}`,
      name: `merge-${row.name}`.slice(0, 120),
      task: toJoin(row.name, conflict, [conflict.ours, ...work]),
    };
    return this.#session.spawn(ThreadId.parse(maker.id), wish, given, 'person').id;
  }

  /** The parent; of a conflict with the session's branch, which is no agent's, the node itself. */
  #makerOf(row: NodeRow): NodeRow {
    const into = row.conflict === null ? 'parent' : conflictIn(row.conflict).into;
    return into === 'session' || row.parent_id === null ? row : this.#find(row.parent_id);
  }

  #find(id: string): NodeRow {
    const row = this.#session.nodes.find(id);
    if (!row) throw notFound('this node');
    return row;
  }
}

/** Neither the agent whose work it is nor its parent: it has a workspace of its own with both. */
const isMade = ({ id, parent_id }: NodeRow, holder: string): boolean =>
  holder !== id && holder !== parent_id;

function theirsOf({ name }: NodeRow, { theirs }: NodeConflict): string {
  if (theirs !== undefined) return theirs;
  throw new FilepathError('conflict', `ask for the merge of ${name} again first`);
}
