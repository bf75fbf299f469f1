import { FilepathError, type MergeInto, ThreadId } from '@filepath/protocol';
import type { Env } from '../env.ts';
import type { Sql } from '../storage/sql.ts';
import type { MergePlan } from './bringing.ts';

export const ASKED_MERGES_TABLE =
  // Merges that the session asks for itself, until their threads have ordered them. at: a commit that was merged before.
  `CREATE TABLE asked_merges (
     thread TEXT NOT NULL, target TEXT NOT NULL, at TEXT, PRIMARY KEY (thread, target))`;

export type AskedMerge = { thread: string; target: MergeInto; at: string | null };

/** Merges that nobody has to ask for. Asked for twice they are harmless: a target that has the work says so. */
export class AskedMerges {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** In the caller's transaction. All of the work counts for more than a commit of it. */
  ask(thread: string, target: MergeInto, at: string | null = null): void {
    this.#sql.run(
      `INSERT INTO asked_merges (thread, target, at) VALUES (?, ?, ?)
       ON CONFLICT (thread, target) DO UPDATE SET at = CASE WHEN at IS NULL THEN NULL ELSE excluded.at END`,
      thread,
      target,
      at,
    );
  }

  all(): AskedMerge[] {
    return this.#sql.all<AskedMerge>('SELECT thread, target, at FROM asked_merges ORDER BY rowid');
  }

  /** Says whether it is ordered: one that cannot be is not asked for ever. */
  async order(
    env: Env,
    { thread, target, at }: AskedMerge,
    plan: (id: string, into: MergeInto) => MergePlan,
  ): Promise<boolean> {
    const object = env.THREAD.getByName(thread);
    const planned = planOf(() => plan(ThreadId.parse(thread), target));
    const create = { onConflict: 'tell' as const };
    const ordered =
      planned !== null && (await object.merge(null, planned, create, 0, at ?? undefined)).ok;
    this.#sql.run('DELETE FROM asked_merges WHERE thread = ? AND target = ?', thread, target);
    return ordered;
  }
}

function planOf(plan: () => MergePlan): MergePlan | null {
  try {
    return plan();
  } catch (error) {
    if (error instanceof FilepathError) return null;
    throw error;
  }
}
