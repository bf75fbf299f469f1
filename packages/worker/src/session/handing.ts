import { FilepathError, type NodeConflict, type ResolveBy, ThreadId } from '@filepath/protocol';
import { notFound } from '../result.ts';
import { toJoin, toResolve } from './merge-words.ts';
import { conflictIn, type NodeRow } from './node-row.ts';
import type { Notices } from './notices.ts';
import type { Given, Session } from './session.ts';

export type Touch = (id: string, change: Partial<NodeRow>) => void;

/** `once`: not one that is a task already. `given`: what a new agent is judged by. */
export type Resolving = { by?: ResolveBy; once?: boolean; given?: Given };

/** Who has a conflict as a task. */
export class Handing {
  #session: Session;
  #notices: Notices;

  constructor(session: Session, notices: Notices) {
    this.#session = session;
    this.#notices = notices;
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
    const handed = JSON.stringify({ ...conflict, handed: true, holder });
    this.#session.alter((touch) => touch(id, { conflict: handed }));
    return holder;
  }

  /** In the caller's transaction. */
  toItself(id: string, key: string, conflict: NodeConflict, touch: Touch): void {
    this.#notices.task(id, `resolve:${key}`, toResolve(conflict));
    const { holder: _, ...known } = conflict;
    touch(id, { conflict: JSON.stringify({ ...known, handed: true }) });
  }

  /** The kind of agent that a new one would be, for a conflict of this node. */
  kindFor(id: string): string {
    return this.#makerOf(this.#find(id)).agent_type;
  }

  /** Nobody has those that `fits` names the holder of: a person is asked again. */
  giveBack(fits: (holder: string) => boolean): void {
    const rows = this.#session.nodes.live().filter(({ id, conflict }) => {
      if (conflict === null) return false;
      const { handed, holder } = conflictIn(conflict);
      return handed && fits(holder ?? id);
    });
    if (rows.length === 0) return;
    const seq = this.#session.meta.head;
    this.#session.alter((touch) => {
      for (const { id, conflict } of rows) {
        const { holder: _, ...known } = conflictIn(conflict ?? '');
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

function theirsOf({ name }: NodeRow, { theirs }: NodeConflict): string {
  if (theirs !== undefined) return theirs;
  throw new FilepathError('conflict', `ask for the merge of ${name} again first`);
}
