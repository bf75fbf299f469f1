import type { Accounts } from './accounts.ts';
import { USAGE_COLUMNS } from './schema.ts';
import type { UsageRow } from './usage-row.ts';

/** Whose account it is. `path`: the accounts it counts in, as JSON, where its node has moved since. */
type Owner = { node: string; path: string | null };

type Sum = Owner & { heldTokens: number; heldNano: number; used: UsageRow };

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

  hold(owner: Owner, tokens: number, nano: number): void {
    const sum = this.#of(owner);
    sum.heldTokens += tokens;
    sum.heldNano += nano;
  }

  /** `times` is 1, or -1 to take a charge back. */
  charge(owner: Owner, used: UsageRow, times: 1 | -1): void {
    const sum = this.#of(owner).used;
    for (const column of USAGE_COLUMNS) sum[column] += times * used[column];
  }

  /** Runs inside the transaction of what was counted. */
  write(accounts: Accounts): void {
    for (const { node, path: moved, heldTokens, heldNano, used } of this.#sums.values()) {
      const path = moved === null ? accounts.pathOf(node) : (JSON.parse(moved) as string[]);
      const held = { tokens: heldTokens, nano: heldNano };
      if (USAGE_COLUMNS.every((column) => used[column] === 0)) accounts.hold(path, held);
      else accounts.change(node, path, held, used);
    }
  }

  #of({ node, path }: Owner): Sum {
    const key = path ?? node;
    const known = this.#sums.get(key);
    if (known) return known;
    const sum = { node, path, heldTokens: 0, heldNano: 0, used: { ...NOTHING } };
    this.#sums.set(key, sum);
    return sum;
  }
}
