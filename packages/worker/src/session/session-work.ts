import { canBeSteered, ThreadId } from '@filepath/protocol';
import { type KnownAgents, knownAgents } from '../catalog/known-agents.ts';
import type { Env } from '../env.ts';
import { unwrap } from '../result.ts';
import { LOCAL_RUNNER } from '../runner/local-runner.ts';
import type { Sql } from '../storage/sql.ts';
import type { Pause } from '../thread/pause.ts';
import type { ThreadMeta } from '../thread/state.ts';
import { MemoryNotes } from './memory-notes.ts';
import { Bringing } from './bringing.ts';
import { configOf, type NodeRow, snapshotOf } from './node-row.ts';
import { type Parting, partingMessage } from './partings.ts';
import { type Results, resultMessage } from './results.ts';
import type { Session } from './session.ts';
import { spawnedBody } from './spawn-wish.ts';
import type { Waits } from './waits.ts';
import type { UntoldWorkers } from './workers-told.ts';

type Untold = ReturnType<Results['untold']>[number];
type Refusal = { parent: string; seq: number; name: string; reason: string };

/**
 * Brings the threads to what the tree says. Each step may be repeated after a failure: threads take the same
 * init, message, notice or deletion once.
 */
export class SessionWork {
  #session: Session;
  #waits: Waits;
  #sql: Sql;
  #env: Env;
  #memories: MemoryNotes;
  #bringing: Bringing;

  constructor(session: Session, waits: Waits, sql: Sql, env: Env) {
    this.#session = session;
    this.#waits = waits;
    this.#sql = sql;
    this.#env = env;
    this.#memories = new MemoryNotes(session, sql, env);
    this.#bringing = new Bringing(session, sql);
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

  /** Something is not told because it is waited for. */
  get held(): boolean {
    const { results, partings } = this.#session;
    return [...results.untold(), ...partings.untold()].some(({ child }) =>
      this.#waits.holds(child),
    );
  }

  *#steps(): Generator<() => Promise<void>, void> {
    const { nodes } = this.#session;
    for (const row of nodes.inPhase('intent')) yield () => this.#begin(row);
    for (const row of nodes.toConfigure()) yield () => this.#configure(row);
    for (const row of nodes.toHalt()) yield () => this.#stop(row);
    for (const row of this.#session.pauses.untold()) yield () => this.#hold(row);
    for (const thread of this.#memories.threads()) yield () => this.#memories.bring(thread);
    for (const row of nodes.inPhase('deleting')) yield () => this.#remove(row);
    for (const refusal of this.#untold()) yield () => this.#tell(refusal);
    for (const family of this.#session.workersTold.untold()) yield () => this.#tellWorkers(family);
    for (const end of this.#session.results.untold()) {
      // What is waited for is answered, not told.
      if (!this.#waits.holds(end.child)) yield () => this.#tellResult(end);
    }
    for (const ask of this.#bringing.asked()) yield () => this.#bringing.order(this.#env, ask);
    for (const parting of this.#session.partings.untold()) {
      if (!this.#waits.holds(parting.child)) yield () => this.#tellParting(parting);
    }
    for (const notice of this.#bringing.waiting()) {
      yield () => this.#bringing.deliver(this.#env, notice);
    }
  }

  async #begin(row: NodeRow): Promise<void> {
    const thread = this.#thread(row.id);
    await thread.init(this.#metaOf(row, await knownAgents(this.#env)));
    if (row.spawn_parent !== null) {
      const key = `spawn:${row.spawn_parent}:${row.spawn_seq ?? `key:${row.spawn_key}`}`;
      // The parent may have been stopped while the thread was made.
      const halted = this.#session.nodes.find(row.id)?.halt ?? null;
      if (row.task !== null && halted === null) await thread.message(null, 'parent', row.task, key);
      await this.#thread(row.spawn_parent).system(spawnedBody(row), key);
    }
    // The thread has the key now; its hash is enough here.
    this.#sql.run(
      `UPDATE nodes SET phase = 'ready', api_key = '' WHERE id = ? AND phase = 'intent'`,
      row.id,
    );
    this.#session.workersTold.changed(row.parent_id);
  }

  async #tellResult({ child, seq, parent, name, ...end }: Untold): Promise<void> {
    const one = { id: ThreadId.parse(child), name };
    const told = this.#thread(parent).result(
      one,
      resultMessage(one, end),
      `result:${child}:${seq}`,
    );
    unwrap(await told);
    this.#session.results.told(child, seq);
  }

  async #tellParting(parting: Parting): Promise<void> {
    const { parent, child, name, at } = parting;
    const one = { id: ThreadId.parse(child), name };
    const key = `parted:${child}:${at}`;
    unwrap(await this.#thread(parent).result(one, partingMessage(parting), key));
    this.#session.partings.told(parent, child);
  }

  async #tellWorkers(family: UntoldWorkers): Promise<void> {
    const { workersTold } = this.#session;
    unwrap(await this.#thread(family.parent).workers(workersTold.of(family.parent)));
    workersTold.told(family);
  }

  async #configure(row: NodeRow): Promise<void> {
    const { name, model } = row;
    const parent = this.#parentOf(row);
    await this.#thread(row.id).configure({ name, model, config: configOf(row) }, parent);
    // A change that came meanwhile is still to be told.
    this.#sql.run(
      `UPDATE nodes SET stale = 0
       WHERE id = ? AND name = ? AND model = ? AND config = ? AND parent_id IS ?`,
      row.id,
      name,
      model,
      row.config,
      row.parent_id,
    );
  }

  async #stop(row: NodeRow): Promise<void> {
    const { seq } = unwrap(await this.#thread(row.id).signal(null, 'stop'));
    this.#session.halted(row.id, seq);
  }

  async #hold({ id, held, held_by }: NodeRow): Promise<void> {
    const pause = held === null ? null : (JSON.parse(held) as Pause);
    await this.#thread(id).hold(pause, held_by === 'system' ? 'system' : 'user');
    this.#session.pauses.told(id, held);
  }

  async #remove(row: NodeRow): Promise<void> {
    await this.#thread(row.id).remove();
    this.#session.results.forget(row.id);
    await this.#env.USER.getByName(this.#session.meta.owner).forgetAgent(ThreadId.parse(row.id));
    this.#session.workersTold.forget(row.id);
    this.#session.partings.forget(row.id);
    // The row stays, so that feeds can say that the node is gone; its secrets do not.
    this.#session.nodes.update(row.id, {
      phase: 'deleted',
      config: '{}',
      api_key: '',
      key_hash: null,
      task: null,
    });
  }

  #untold(): Refusal[] {
    return this.#sql.all<Refusal>('SELECT parent, seq, name, reason FROM refusals WHERE told = 0');
  }

  async #tell({ parent, seq, name, reason }: Refusal): Promise<void> {
    const body = { type: 'spawn_failed' as const, spawn: seq, name, reason };
    await this.#thread(parent).spawnFailed(body, `spawn:${parent}:${seq}`);
    this.#sql.run('UPDATE refusals SET told = 1 WHERE parent = ? AND seq = ?', parent, seq);
  }

  #thread(id: string) {
    return this.#env.THREAD.getByName(id);
  }

  #parentOf(row: NodeRow): ThreadMeta['parent'] | null {
    const parent = row.parent_id === null ? null : this.#session.nodes.find(row.parent_id);
    return parent && { thread: ThreadId.parse(parent.id), slug: parent.slug };
  }

  #metaOf(row: NodeRow, { entries }: KnownAgents): ThreadMeta {
    const entry = entries.find(({ type }) => type === row.agent_type);
    const { id, owner, gitRepoUrl } = this.#session.meta;
    const parent = this.#parentOf(row);
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
      ...(parent && { parent }),
      apiKey: row.api_key,
      runner: LOCAL_RUNNER,
      ...(snapshot && { snapshot }),
      ...(entry?.driver.kind === 'custom' && { plain: true }),
      ...(entry && !canBeSteered(entry) && { steers: false }),
    };
  }
}
