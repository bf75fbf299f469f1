import type { Node } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { readLimit } from '../text/budget.ts';

/** The budget of an agent and everything below it. */
export class NodeBudgetForm {
  usd = $state('');
  tokens = $state('');
  problem = $state<string | null>(null);
  busy = $state(false);
  #node: Node;

  constructor(node: Node) {
    this.#node = node;
    const { usd, tokens } = node.budget;
    this.usd = usd === null ? '' : String(usd);
    this.tokens = tokens === null ? '' : String(tokens);
  }

  async save(saved: () => void): Promise<void> {
    const usd = readLimit(this.usd, false);
    const tokens = readLimit(this.tokens, true);
    if (usd === undefined || tokens === undefined) {
      this.problem = 'A limit is a number, or nothing for no limit.';
      return;
    }
    const budget = { usd, tokens };
    this.busy = true;
    try {
      await client.budget.setOfNode(this.#node.sessionId, this.#node.id, { budget });
      saved();
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.busy = false;
    }
  }
}
