import type { JobResult, MergeInto, ResolveBy } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { type MergeHow, type Told, toldOf } from '../text/merging.ts';

export type Doing = 'merge' | 'push' | 'resolve';

/** Merging and pushing one agent's work, and what came of it. */
export class Bringing {
  doing = $state<Doing | null>(null);
  told = $state.raw<Told | null>(null);
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
  }

  merge(into: MergeInto, how: MergeHow): Promise<boolean> {
    const body = { into, ...(how === 'any' ? {} : { mode: how }) };
    return this.#job('merge', () => client.node.merge(this.#id, body));
  }

  push(of: 'agent' | 'session', branch: string, force: boolean): Promise<boolean> {
    const named = branch.trim() === '' ? {} : { branch: branch.trim() };
    const body = { of, ...named, ...(force ? { force } : {}) };
    return this.#job('push', () => client.thread.pushed(this.#id, body));
  }

  /** The node that has it as a task now; null: it failed. */
  async resolve(by: ResolveBy): Promise<string | null> {
    let node: string | null = null;
    await this.#try('resolve', async () => {
      node = await client.node.resolve(this.#id, by);
      this.told = null;
    });
    return node;
  }

  #job(doing: Doing, work: () => Promise<JobResult | null>): Promise<boolean> {
    return this.#try(doing, async () => {
      this.told = toldOf(await work());
    });
  }

  async #try(doing: Doing, work: () => Promise<void>): Promise<boolean> {
    if (this.doing !== null) return false;
    this.doing = doing;
    try {
      await work();
      return true;
    } catch (error) {
      const text = await problemOf(error);
      this.told = text === null ? null : { good: false, text };
      return false;
    } finally {
      this.doing = null;
    }
  }
}
