import type { Accounts } from './accounts.ts';
import { USAGE_COLUMNS } from './schema.ts';
import type { UsageRow } from './usage-row.ts';

type Sum = { heldTokens: number; heldNano: number; used: UsageRow };

const NOTHING: UsageRow = {
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write: 0,
  reasoning: 0,
  nano: 0,
  calls: 0,
  estimated: 0,
  unpriced: 0,
};

/** What changes in the accounts of each node. Calls that are written together change each account once. */
export class Tally {
  #sums = new Map<string, Sum>();

  hold(node: string, tokens: number, nano: number): void {
    const sum = this.#of(node);
    sum.heldTokens += tokens;
    sum.heldNano += nano;
  }

  /** `times` is 1, or -1 to take a charge back. */
  charge(node: string, used: UsageRow, times: 1 | -1): void {
    const sum = this.#of(node).used;
    for (const column of USAGE_COLUMNS) sum[column] += times * used[column];
  }

  /** Runs inside the transaction of what was counted. */
  write(accounts: Accounts): void {
    for (const [node, { heldTokens, heldNano, used }] of this.#sums) {
      const path = accounts.pathOf(node);
      const held = { tokens: heldTokens, nano: heldNano };
      if (USAGE_COLUMNS.every((column) => used[column] === 0)) accounts.hold(path, held);
      else accounts.change(node, held, used);
    }
  }

  #of(node: string): Sum {
    const known = this.#sums.get(node);
    if (known) return known;
    const sum = { heldTokens: 0, heldNano: 0, used: { ...NOTHING } };
    this.#sums.set(node, sum);
    return sum;
  }
}
