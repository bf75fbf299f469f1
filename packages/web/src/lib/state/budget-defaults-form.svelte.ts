import type { Budget, BudgetDefaults } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { readLimit, showLimit } from '../text/budget.ts';

class Limits {
  usd = $state('');
  tokens = $state('');

  show({ usd, tokens }: Budget): void {
    this.usd = showLimit(usd);
    this.tokens = showLimit(tokens);
  }

  read(): Budget | null {
    const usd = readLimit(this.usd, false);
    const tokens = readLimit(this.tokens, true);
    return usd === undefined || tokens === undefined ? null : { usd, tokens };
  }
}

/** The budgets that new sessions and agents have unless told otherwise. */
export class BudgetDefaultsForm {
  readonly session = new Limits();
  readonly agent = new Limits();
  /** What is set was read. */
  known = $state(false);
  problem = $state<string | null>(null);
  saved = $state(false);
  busy = $state(false);

  load(): Promise<void> {
    return this.#work(() => client.budget.defaults());
  }

  async save(): Promise<void> {
    this.saved = false;
    const session = this.session.read();
    const agent = this.agent.read();
    if (session === null || agent === null) {
      this.problem = 'A limit is a number, or nothing for no limit.';
      return;
    }
    await this.#work(() => client.budget.setDefaults({ session, agent }));
    this.saved = this.problem === null;
  }

  async #work(ask: () => Promise<BudgetDefaults>): Promise<void> {
    this.busy = true;
    try {
      const { session, agent } = await ask();
      this.session.show(session);
      this.agent.show(agent);
      this.known = true;
      this.problem = null;
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.busy = false;
    }
  }
}
