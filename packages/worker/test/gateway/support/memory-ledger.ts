import type { CallId } from '@filepath/protocol';
import type { Ask, Grant, Ledger, Outcome, RouteRefusal } from '../../../src/gateway/contract.ts';

export const GOOD_SECRET = '0123456789abcdef'.repeat(3);

export type LedgerState = {
  readonly asks: readonly Ask[];
  readonly open: readonly CallId[];
  readonly renewed: number;
  readonly ended: readonly ({ readonly call: CallId } & Outcome)[];
  readonly refused: readonly RouteRefusal[];
  /** Requests whose agent went away. */
  readonly left: number;
  readonly said: readonly boolean[];
};

/** Remembers what it was asked. A key is good when its secret is. */
export class MemoryLedger implements Ledger {
  /** What is granted at most. Below zero it fails instead. */
  grant: number | null = null;
  /** While it is set, what is asked for is not granted yet. */
  holds = false;
  left = 0;
  /** What calls were told of the next. */
  readonly said: boolean[] = [];
  #asks: Ask[] = [];
  #open = new Set<CallId>();
  #ended: ({ call: CallId } & Outcome)[] = [];
  #refused: RouteRefusal[] = [];
  #renewed = 0;

  async check({ key }: Pick<Ask, 'key'>): Promise<boolean> {
    return key.endsWith(GOOD_SECRET);
  }

  async refused(ask: Ask, refusal: RouteRefusal): Promise<boolean> {
    const known = await this.check(ask);
    if (known) this.#refused.push(refusal);
    return known;
  }

  async reserve(ask: Ask): Promise<Grant> {
    if (!(await this.check(ask))) return { ok: false, code: 'bad_key' };
    if (this.grant !== null && this.grant < 0) throw new Error('the ledger is away');
    this.#asks.push(ask);
    while (this.holds) await new Promise((resolve) => setTimeout(resolve, 5));
    const outputBound = Math.min(ask.outputBound, this.grant ?? Infinity);
    if (outputBound === 0 && ask.outputBound > 0)
      return { ok: false, code: 'budget', message: 'The budget is used up.', scope: 'session' };
    this.#open.add(ask.call);
    return { ok: true, outputBound, standing: this.grant === null };
  }

  async renew(call: CallId): Promise<void> {
    if (this.#open.has(call)) this.#renewed += 1;
  }

  async settle(call: CallId, outcome: Outcome): Promise<void> {
    if (!this.#open.delete(call)) throw new Error(`${call} was settled twice`);
    this.#ended.push({ call, ...outcome });
  }

  state(): LedgerState {
    return {
      asks: this.#asks,
      open: [...this.#open],
      renewed: this.#renewed,
      ended: this.#ended,
      refused: this.#refused,
      left: this.left,
      said: this.said,
    };
  }
}
