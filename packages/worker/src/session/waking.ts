import type { NodeRow } from './node-row.ts';
import type { Notices } from './notices.ts';
import type { Session } from './session.ts';

const GO_ON =
  'Your last run ended because a budget was used up. It has been raised. Go on from where you were; if nothing is left to do, say so and end.';

/** Agents whose run ended for want of budget go on when a person has raised it. */
export class Waking {
  #session: Session;
  #notices: Notices;

  constructor(session: Session, notices: Notices) {
    this.#session = session;
    this.#notices = notices;
  }

  /** To be asked before the budget is set: after that nobody is blocked. Null: of all the tree. */
  stuck(id: string | null): string[] {
    return this.#session.nodes
      .subtree(id)
      .filter((row) => row.blocked !== null && failed(row))
      .map((row) => row.id);
  }

  /** Each is told once for an answer. From now on its failure waits for nobody. */
  wake(ids: readonly string[], answer: string): void {
    if (ids.length === 0) return;
    this.#session.alter((touch) => {
      for (const id of ids) {
        this.#notices.task(id, `raise:${answer}:${id}`, GO_ON);
        touch(id, { failed: null });
      }
    });
  }
}

const failed = ({ status, stopped }: NodeRow): boolean => status === 'error' && stopped === 0;
