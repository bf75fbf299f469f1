import { NO_BUDGET, type Session } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { readLimit } from '../text/budget.ts';

/** The budget of everything in a session. */
export class SessionBudgetForm {
  usd = $state('');
  tokens = $state('');
  problem = $state<string | null>(null);
  busy = $state(false);
  readonly #id: string;

  constructor({ id, budget = NO_BUDGET }: Session) {
    this.#id = id;
    this.usd = budget.usd === null ? '' : String(budget.usd);
    this.tokens = budget.tokens === null ? '' : String(budget.tokens);
  }

  async save(saved: () => void): Promise<void> {
    const usd = readLimit(this.usd, false);
    const tokens = readLimit(this.tokens, true);
    if (usd === undefined || tokens === undefined) {
      this.problem = 'A limit is a number, or nothing for no limit.';
      return;
    }
    this.busy = true;
    try {
      await client.budget.setOfSession(this.#id, { budget: { usd, tokens } });
      saved();
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.busy = false;
    }
  }
}
