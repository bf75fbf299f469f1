import type { Accounts } from './accounts.ts';
import { USAGE_COLUMNS } from './schema.ts';
import type { UsageRow } from './usage-row.ts';

type Path = readonly string[];
type Sum = { path: Path; node: string; heldTokens: number; heldNano: number; used: UsageRow };

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

/** What changes in the accounts. Calls that are written together change each account once. */
export class Tally {
  #sums = new Map<string, Sum>();

  hold(path: Path, node: string, tokens: number, nano: number): void {
    const sum = this.#of(path, node);
    sum.heldTokens += tokens;
    sum.heldNano += nano;
  }

  /** `times` is 1, or -1 to take a charge back. */
  charge(path: Path, node: string, used: UsageRow, times: 1 | -1): void {
    const sum = this.#of(path, node).used;
    for (const column of USAGE_COLUMNS) sum[column] += times * used[column];
  }

  /** Runs inside the transaction of what was counted. */
  write(accounts: Accounts): void {
    for (const { path, node, heldTokens, heldNano, used } of this.#sums.values()) {
      const held = { tokens: heldTokens, nano: heldNano };
      if (USAGE_COLUMNS.every((column) => used[column] === 0)) accounts.hold(path, held);
      else accounts.change(path, node, held, used);
    }
  }

  /** The path of a call of a node that has moved is the one of its reservation. */
  #of(path: Path, node: string): Sum {
    const key = path.join(' ');
    const known = this.#sums.get(key);
    if (known) return known;
    const sum = { path, node, heldTokens: 0, heldNano: 0, used: { ...NOTHING } };
    this.#sums.set(key, sum);
    return sum;
  }
}
