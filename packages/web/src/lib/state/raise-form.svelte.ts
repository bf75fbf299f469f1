import type { AttentionItem, Budget } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { readLimit } from '../text/budget.ts';

export type RaiseOf = 'node' | 'own' | 'session' | 'user';

/** A budget that stands in an agent's way: as it is, to be set anew. */
export class RaiseForm {
  of = $state<RaiseOf>('node');
  usd = $state('');
  tokens = $state('');
  problem = $state<string | null>(null);
  /** The fields show the budget that is chosen. */
  ready = $state(false);
  #item: AttentionItem;

  constructor(item: AttentionItem) {
    this.#item = item;
  }

  async load(): Promise<void> {
    const { of } = this;
    this.ready = false;
    this.problem = null;
    try {
      const { usd, tokens } = await this.#budgetOf(of);
      // Another one may have been chosen meanwhile.
      if (of !== this.of) return;
      this.usd = usd === null ? '' : String(usd);
      this.tokens = tokens === null ? '' : String(tokens);
      this.ready = true;
    } catch (error) {
      this.problem = await problemOf(error);
    }
  }

  /** What the answer takes; null: the fields are not understood. */
  input(): { of: RaiseOf; budget: Budget } | null {
    const usd = readLimit(this.usd, false);
    const tokens = readLimit(this.tokens, true);
    if (usd !== undefined && tokens !== undefined) return { of: this.of, budget: { usd, tokens } };
    this.problem = 'A limit is a number, or nothing for no limit.';
    return null;
  }

  async #budgetOf(of: RaiseOf): Promise<Budget> {
    const { session, thread } = this.#item;
    if (of === 'user') return (await client.budget.ofUser()).budget;
    if (of === 'session') return (await client.budget.ofSession(session)).budget;
    const state = await client.budget.ofNode(session, thread);
    return of === 'own' ? state.own.budget : state.budget;
  }
}
