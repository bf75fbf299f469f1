import { ThreadId } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { unwrap } from '../result.ts';
import { LOCAL_RUNNER } from '../runner/local-runner.ts';
import type { Sql } from '../storage/sql.ts';
import type { ThreadMeta } from '../thread/state.ts';
import { configOf, type NodeRow, snapshotOf } from './node-row.ts';
import type { Session } from './session.ts';

type Refusal = { parent: string; seq: number; name: string; reason: string };

/**
 * Brings the threads to what the tree says. Each step may be repeated after a failure: threads take the same
 * init, message, notice or deletion once.
 */
export class SessionWork {
  #session: Session;
  #sql: Sql;
  #env: Env;

  constructor(session: Session, sql: Sql, env: Env) {
    this.#session = session;
    this.#sql = sql;
    this.#env = env;
  }

  /** Does all that can be done; what failed is thrown after, to be tried again. */
  async settle(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** Nothing is left to be told to any thread. */
  get settled(): boolean {
    return this.#steps().next().done === true;
  }

  *#steps(): Generator<() => Promise<void>, void> {
    const { nodes } = this.#session;
    for (const row of nodes.inPhase('intent')) yield () => this.#begin(row);
    for (const row of nodes.toConfigure()) yield () => this.#configure(row);
    for (const row of nodes.toHalt()) yield () => this.#stop(row);
    for (const row of nodes.inPhase('deleting')) yield () => this.#remove(row);
    for (const refusal of this.#untold()) yield () => this.#tell(refusal);
  }

  async #begin(row: NodeRow): Promise<void> {
    const thread = this.#thread(row.id);
    await thread.init(this.#metaOf(row));
    if (row.spawn_parent !== null && row.spawn_seq !== null) {
      const key = `spawn:${row.spawn_parent}:${row.spawn_seq}`;
      // The parent may have been stopped while the thread was made.
      const halted = this.#session.nodes.find(row.id)?.halt ?? null;
      if (row.task !== null && halted === null) await thread.message(null, 'parent', row.task, key);
      const node = ThreadId.parse(row.id);
      const body = { type: 'spawned' as const, spawn: row.spawn_seq, node, name: row.name };
      await this.#thread(row.spawn_parent).system(body, key);
    }
    // The thread has the key now; its hash is enough here.
    this.#sql.run(
      `UPDATE nodes SET phase = 'ready', api_key = '' WHERE id = ? AND phase = 'intent'`,
      row.id,
    );
  }

  async #configure(row: NodeRow): Promise<void> {
    const { name, model } = row;
    await this.#thread(row.id).configure({ name, model, config: configOf(row) });
    // A change that came meanwhile is still to be told.
    this.#sql.run(
      'UPDATE nodes SET stale = 0 WHERE id = ? AND name = ? AND model = ? AND config = ?',
      row.id,
      name,
      model,
      row.config,
    );
  }

  async #stop(row: NodeRow): Promise<void> {
    const { seq } = unwrap(await this.#thread(row.id).signal(null, 'stop'));
    this.#session.halted(row.id, seq);
  }

  async #remove(row: NodeRow): Promise<void> {
    await this.#thread(row.id).remove();
    // The row stays, so that feeds can say that the node is gone; its secrets do not.
    this.#sql.run(
      `UPDATE nodes SET phase = 'deleted', config = '{}', api_key = '', key_hash = NULL, task = NULL WHERE id = ?`,
      row.id,
    );
  }

  #untold(): Refusal[] {
    return this.#sql.all<Refusal>('SELECT parent, seq, name, reason FROM refusals WHERE told = 0');
  }

  async #tell({ parent, seq, name, reason }: Refusal): Promise<void> {
    const body = { type: 'spawn_failed' as const, spawn: seq, name, reason };
    await this.#thread(parent).system(body, `spawn:${parent}:${seq}`);
    this.#sql.run('UPDATE refusals SET told = 1 WHERE parent = ? AND seq = ?', parent, seq);
  }

  #thread(id: string) {
    return this.#env.THREAD.getByName(id);
  }

  #metaOf(row: NodeRow): ThreadMeta {
    const { id, owner, gitRepoUrl } = this.#session.meta;
    const parent = row.parent_id === null ? null : this.#session.nodes.find(row.parent_id);
    const snapshot = snapshotOf(row);
    return {
      thread: ThreadId.parse(row.id),
      session: id,
      owner,
      name: row.name,
      slug: row.slug,
      agentType: row.agent_type,
      model: row.model,
      config: configOf(row),
      gitRepoUrl,
      ...(parent ? { parent: { thread: ThreadId.parse(parent.id), slug: parent.slug } } : {}),
      apiKey: row.api_key,
      runner: LOCAL_RUNNER,
      ...(snapshot && { snapshot }),
    };
  }
}
