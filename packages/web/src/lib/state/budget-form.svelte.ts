import type { BudgetState } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { readLimit, showLimit } from '../text/budget.ts';

/** The budget for all sessions together. */
export class BudgetForm {
  state = $state.raw<BudgetState | null>(null);
  usd = $state('');
  tokens = $state('');
  problem = $state<string | null>(null);
  saved = $state(false);
  busy = $state(false);

  async load(): Promise<void> {
    try {
      this.#show(await client.budget.ofUser());
      this.problem = null;
    } catch (error) {
      this.problem = await problemOf(error);
    }
  }

  async save(): Promise<void> {
    const usd = readLimit(this.usd, false);
    const tokens = readLimit(this.tokens, true);
    this.saved = false;
    if (usd === undefined || tokens === undefined) {
      this.problem = 'A limit is a number, or nothing for no limit.';
      return;
    }
    this.busy = true;
    try {
      this.#show(await client.budget.setOfUser({ budget: { usd, tokens } }));
      this.problem = null;
      this.saved = true;
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.busy = false;
    }
  }

  #show(state: BudgetState): void {
    this.state = state;
    this.usd = showLimit(state.budget.usd);
    this.tokens = showLimit(state.budget.tokens);
  }
}
