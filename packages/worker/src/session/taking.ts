import type { JobResult, NodeWaiting } from '@filepath/protocol';
import type { AskedMerges } from './asked-merges.ts';
import type { Touch } from './handing.ts';
import { toTake, toTakeAll } from './merge-words.ts';
import { type NodeRow, waitingIn } from './node-row.ts';
import type { Notices } from './notices.ts';
import type { Session } from './session.ts';

type Merged = Extract<JobResult, { type: 'merged' }>;

/** What was merged into the branches of parents, and waits until their workspaces take it. */
export class Taking {
  #session: Session;
  #notices: Notices;
  #asked: AskedMerges;

  constructor(session: Session, notices: Notices, asked: AskedMerges) {
    this.#session = session;
    this.#notices = notices;
    this.#asked = asked;
  }

  /** A merge into this parent, in the caller's transaction. What it has not taken is told to it, once. */
  merged(parent: NodeRow, result: Merged, touch: Touch): void {
    const before = waitingIn(parent.waiting);
    const { node, name, from, commit, taken } = result;
    if (taken && before !== null) touch(parent.id, { waiting: null });
    if (!taken) {
      const rest = (before?.of ?? []).filter((one) => one.node !== node);
      const waiting: NodeWaiting = { commit, of: [...rest, { node, name, from }] };
      touch(parent.id, { waiting: JSON.stringify(waiting) });
    }
    const words = taken || before?.commit === commit ? null : toTake(result);
    this.#notices.event(parent.id, `merged:${result.job}`, result, words);
  }

  /** A run of this agent has begun: it is told what waits. `by`: what this run is known by. */
  began(row: NodeRow, by: string): void {
    const waiting = waitingIn(row.waiting);
    if (waiting === null) return;
    this.#session.alter(() =>
      this.#notices.words(row.id, `take:${row.id}:${by}`, toTakeAll(waiting)),
    );
  }

  /**
   * A run of this agent has ended, in the caller's transaction: what waits is tried again, each by the merge that it came
   * with. Of a child that is gone no merge can be asked for: it was told, and nothing would ever say that it was taken.
   */
  ended(row: NodeRow, touch: Touch): void {
    const waiting = waitingIn(row.waiting);
    if (waiting === null) return;
    const left = waiting.of.filter(
      ({ node }) => this.#session.nodes.find(node)?.parent_id === row.id,
    );
    for (const { node, from } of left) this.#asked.ask(node, 'parent', from);
    if (left.length === waiting.of.length) return;
    const rest = left.length === 0 ? null : JSON.stringify({ ...waiting, of: left });
    touch(row.id, { waiting: rest });
  }
}
