import type { Sql } from '../../storage/sql.ts';
import { readValue, writeValue } from '../../storage/values.ts';
import type { Amount, Limit } from './money.ts';
import type { UsageRow } from './usage-row.ts';

/**
 * What a session may use of its user's budget, in all since it began. `n` numbers what was said to the user's
 * ledger, so that neither side takes an older word for a newer one.
 */
export type Lease = { n: number; active: boolean; limit: Limit };

/** What a session tells the user's ledger. */
export type LeaseReport = {
  n: number;
  used: UsageRow;
  /** Used and reserved. */
  taken: Amount;
};

const NONE: Lease = { n: 0, active: false, limit: { tokens: 0, nano: 0 } };

/** The session's side of its lease. */
export class LeaseBook {
  #sql: Sql;
  #lease: Lease;

  /** Whoever was told that the user has no budget is told that this may have changed. */
  #revoke: () => void;

  constructor(sql: Sql, revoke: () => void) {
    this.#sql = sql;
    this.#revoke = revoke;
    this.#lease = readValue<Lease>(sql, 'lease') ?? NONE;
  }

  get current(): Lease {
    return this.#lease;
  }

  /** The number of what is said next. */
  next(): number {
    this.#write({ ...this.#lease, n: this.#lease.n + 1 });
    return this.#lease.n;
  }

  /** Takes a grant, unless something was said since it was asked for. */
  take(n: number, limit: Limit): boolean {
    if (n !== this.#lease.n) return false;
    this.#write({ n, active: true, limit });
    this.#revoke();
    return true;
  }

  /** Gives back what is not taken. Stored before the user's ledger hears of it. */
  drop(): number {
    this.#write({ ...NONE, n: this.#lease.n + 1 });
    this.#revoke();
    return this.#lease.n;
  }

  #write(lease: Lease): void {
    writeValue(this.#sql, 'lease', lease);
    this.#lease = lease;
  }
}
