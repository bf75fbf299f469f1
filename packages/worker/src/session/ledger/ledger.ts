import type { CallId, RefusalCode } from '@filepath/protocol';
import {
  type Ask,
  type Bearer,
  type Grant,
  LEASE_MS,
  type Outcome,
  type RouteRefusal,
} from '../../gateway/contract.ts';
import { MOST_AHEAD } from '../../gateway/standing.ts';
import { first, type Sql } from '../../storage/sql.ts';
import type { Holder } from '../node-table.ts';
import { type Accounts, SESSION, takenOf } from './accounts.ts';
import { allow } from './allowance.ts';
import { CallEvents } from './call-events.ts';
import { type CallRow, Calls } from './calls.ts';
import { holderOf, type KeyDeps } from './holder.ts';
import { LeaseBook } from './lease.ts';
import { type Amount, worstCase } from './money.ts';
import { pursesOf, userPurse } from './purses.ts';
import { Repeats } from './repeats.ts';
import { Settlement } from './settlement.ts';
import { Tally } from './tally.ts';
import { Unwritten } from './unwritten.ts';

/** Calls under way at once, in a session. */
export const MAX_OPEN = 256;

export type LedgerDeps = KeyDeps & {
  sql: Sql;
  now: () => number;
  accounts: Accounts;
  /** Calls to models wait for the session's word again. */
  revoke: () => void;
};

/** More is needed of the user's budget before this can be answered: this much in all. */
export type Want = { readonly want: Amount };

/** The budget ledger of a tree: what each call reserves and what it used, once. */
export class TreeLedger {
  readonly accounts: Accounts;
  readonly events: CallEvents;
  readonly lease: LeaseBook;
  #deps: LedgerDeps;
  #calls: Calls;
  #repeats: Repeats;
  #settlement: Settlement;
  #unwritten = new Unwritten();

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.accounts = deps.accounts;
    this.events = new CallEvents(deps.sql);
    this.lease = new LeaseBook(deps.sql, deps.revoke);
    this.#calls = new Calls(deps.sql);
    this.#repeats = new Repeats(deps.sql, this.events);
    this.#settlement = new Settlement(deps, this.#calls, this.events);
  }

  /** Grants a call and writes its reservation. */
  reserve(ask: Ask, last: boolean): Grant | Want {
    const answer = this.grant(ask, last);
    this.write();
    return answer;
  }

  /**
   * Grants a call. What it holds counts at once. Under a budget it is in the tables before the call is made; without
   * one it is with the next `write`, and the call waits for no disk. `last`: what the lease has is all there is.
   */
  grant(ask: Ask, last: boolean): Grant | Want {
    const holder = holderOf(this.#deps, ask);
    if (!holder) return { ok: false, code: 'bad_key' };
    const unwritten = this.#unwritten.find(ask.call);
    if (unwritten?.ask.thread === ask.thread)
      return { ok: true, outputBound: unwritten.outputBound };
    const known = this.#calls.find(ask.call);
    if (known) return this.#again(ask, known);
    if (this.#calls.hasOpen(MAX_OPEN - this.#unwritten.size)) {
      const message = `This session has ${MAX_OPEN} calls to models under way, which is the most it may have. Call again when some have ended.`;
      return this.#refuse(ask, 'concurrency', message, SESSION);
    }
    return this.#admit(ask, holder, last);
  }

  /** Writes what was granted since, or all of it stays unwritten. Everything that reads or changes the tables does this first. */
  write(): void {
    if (this.#unwritten.size === 0) return;
    const granted = this.#unwritten.all();
    this.#deps.sql.transaction(() => {
      const tally = new Tally();
      for (const { ask, path, outputBound, held, at } of granted) {
        this.#calls.insert(ask, outputBound, held, at, at + LEASE_MS);
        tally.hold(path, ask.thread, held.tokens, held.nano);
      }
      tally.write(this.accounts);
    });
    this.#unwritten.written(granted);
  }

  renew(call: CallId): void {
    this.write();
    this.#calls.renew(call, this.#deps.now() + LEASE_MS);
  }

  settle(call: CallId, outcome: Outcome): void {
    this.settleAll([{ call, outcome }]);
  }

  /** All of them or none. */
  settleAll(ended: readonly { readonly call: CallId; readonly outcome: Outcome }[]): void {
    this.write();
    this.#together(() => {
      const rows = this.#calls.among(ended.map(({ call }) => call));
      this.#settlement.settle(
        ended.flatMap(({ call, outcome }) => {
          const row = rows.get(call);
          return row ? [{ row, outcome }] : [];
        }),
      );
    });
  }

  /** Whether the key is good. */
  check(ask: Bearer): boolean {
    return holderOf(this.#deps, ask) !== null;
  }

  /** A call that was refused before anything was reserved for it. False: the key is not good. */
  refused(ask: Ask, { refused, message }: RouteRefusal): boolean {
    return this.#together(() => {
      if (!holderOf(this.#deps, ask)) return false;
      this.#refuse(ask, refused, message);
      return true;
    });
  }

  /** Settles what nobody renewed at its worst case, and forgets what is long over. */
  expire(): void {
    const now = this.#deps.now();
    this.write();
    this.#together(() => {
      this.#settlement.settle(
        this.#calls.overdue(now).map((row) => ({
          row,
          outcome: {
            outcome: 'cut',
            status: null,
            tokens: null,
            firstByteMs: null,
            durationMs: Math.max(0, now - row.started),
            error: 'The gateway ended before it could say how this call ended.',
          },
        })),
      );
      this.#calls.forget(now);
      this.#repeats.flush(now);
    });
  }

  /** When `expire` has something to do. */
  due(): number | null {
    const times = [this.#calls.due(), this.#repeats.due()].filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  get idle(): boolean {
    return this.#calls.open() + this.#unwritten.size === 0;
  }

  /** Gives `blocked` agents another chance: `scope` has a new budget. Null: all of them. */
  unblock(nodes: readonly string[] | null): void {
    for (const node of this.#deps.nodes.unblock(nodes)) this.accounts.markDirty(node);
  }

  /** All of it or nothing, and what is to be told with it. */
  #together<T>(work: () => T): T {
    try {
      return this.#deps.sql.transaction(work);
    } catch (error) {
      this.events.reread();
      this.#calls.reread();
      throw error;
    }
  }

  #admit(ask: Ask, holder: Holder, last: boolean): Grant | Want {
    const { session } = this.#deps;
    const path = this.accounts.pathOf(holder.id);
    const { active, limit } = this.lease.current;
    const unlimited = active && limit.tokens === null && limit.nano === null;
    // Most calls are under no budget: what was used before is not even read.
    if (unlimited && !this.accounts.isLimited(holder.id)) {
      const grant = this.#take(ask, holder, path, ask.outputBound);
      // Those that are ahead of this one's answer must find room as well.
      if (!this.#calls.hasOpen(MAX_OPEN - 2 * MOST_AHEAD - this.#unwritten.size))
        return { ...grant, standing: true };
      this.#deps.revoke();
      return grant;
    }
    const accounts = this.accounts.along(path).map((account) => this.#unwritten.over(account));
    const total = accounts.at(-1) ?? this.accounts.get(SESSION);
    const purses = pursesOf(session, accounts, (id) => this.#nameOf(id));
    const tree = allow(ask, purses);
    if (!tree.ok) return this.#short(ask, holder, tree);

    const wish = { ...ask, outputBound: tree.outputBound };
    const user = userPurse(total, limit);
    const allowed = active ? allow(wish, [user]) : null;
    const whole = allowed?.ok === true && allowed.outputBound === tree.outputBound;
    if (!whole && !last) {
      const worst = worstCase(ask.price, ask.inputBound, tree.outputBound);
      const taken = takenOf(total);
      return { want: { tokens: taken.tokens + worst.tokens, nano: taken.nano + worst.nano } };
    }
    if (allowed === null) throw new Error('the user ledger gave no lease');
    if (!allowed.ok) return this.#short(ask, holder, allowed);

    const grant = this.#take(ask, holder, path, allowed.outputBound);
    if (purses.length > 0 || !unlimited) this.write();
    return grant;
  }

  #take(ask: Ask, holder: Holder, path: readonly string[], outputBound: number) {
    const held = worstCase(ask.price, ask.inputBound, outputBound);
    this.#unwritten.add({ ask, path, outputBound, held, at: this.#deps.now() });
    if (holder.blocked !== null) this.#block(holder.id, null);
    return { ok: true, outputBound } as const;
  }

  #again(ask: Ask, known: CallRow): Grant {
    if (known.state === 'open' && known.node === ask.thread) {
      return { ok: true, outputBound: known.output_bound };
    }
    const message = `The call ${ask.call} is over. Call again under a new id.`;
    return this.#refuse(ask, 'concurrency', message);
  }

  #short(
    ask: Ask,
    holder: Holder,
    refusal: {
      code: 'budget' | 'no_price';
      message: string;
      purse: { scope: string; name: string };
    },
  ): Grant {
    const { code, message, purse } = refusal;
    const dear = ask.unknown?.what ?? ask.model;
    const why = code === 'budget' ? `${purse.name} is used up` : `${dear} has no known price`;
    if (holder.blocked !== why) this.#block(holder.id, why);
    return this.#refuse(ask, code, message, purse.scope);
  }

  #block(node: string, why: string | null): void {
    const at = why === null ? null : new Date(this.#deps.now()).toISOString();
    this.#deps.nodes.update(node, { blocked: why, blocked_at: at });
    this.accounts.markDirty(node);
  }

  #refuse(ask: Ask, code: RefusalCode, words: string, scope?: string): Grant {
    const message = words.slice(0, 1024);
    const { call, format, thread } = ask;
    const about = scope === undefined ? {} : { scope };
    const model = ask.model.slice(0, 200);
    const body = { type: 'refused' as const, call, format, model, code, message, ...about };
    this.#repeats.add(thread, body, this.#deps.now());
    return { ok: false, code, message, ...about };
  }

  #nameOf(node: string): string {
    const query = 'SELECT name FROM nodes WHERE id = ?';
    return first<{ name: string }>(this.#deps.sql, query, node)?.name ?? node;
  }
}
