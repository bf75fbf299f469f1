import type { CallId } from '@filepath/protocol';
import type { Env } from '../../env.ts';
import {
  type Ask,
  type Bearer,
  type Grant,
  LEASE_MS,
  type Outcome,
  type RouteRefusal,
} from '../../gateway/contract.ts';
import { Serial } from '../../serial.ts';
import type { Alarms } from '../../storage/alarms.ts';
import type { Session } from '../session.ts';
import { SESSION, takenOf } from './accounts.ts';
import type { LeaseReport } from './lease.ts';
import type { TreeLedger } from './ledger.ts';
import type { Amount } from './money.ts';
import { usedOf } from './usage-row.ts';

/** Viewers get what was used at most this often. */
const SHOW_MS = 500;
const RETRY_MS = 1000;
/** What was granted and what has ended within this long is written together. */
const WRITE_MS = 10;
/** Threads are told at once, and then not again for this long: a run's receipt has what was told before its end. */
const TELL_MS = 100;
const REPORT_MS = 2000;
/** A session without calls gives its lease back after this long. */
const KEEP_MS = 30_000;
/** For so long it is believed that no more is left of the user's budget. */
const DRY_MS = 1000;

export type DeskDeps = {
  session: Session;
  ledger: TreeLedger;
  env: Env;
  alarms: Alarms;
  now: () => number;
  /** The tree changed: viewers and the index are told. */
  changed: () => void;
  inBackground: (work: Promise<void>) => void;
};

type AlarmName = 'calls' | 'shown' | 'told' | 'lease';

/** The ledger at work: it speaks with the gateway, the threads and the user's ledger. */
export class LedgerDesk {
  #deps: DeskDeps;
  #leasing = new Serial();
  #telling = new Serial();
  /** What the alarm is set to already, so that a call costs no second write. */
  #armed = new Map<AlarmName, number>();
  #dryUntil = 0;
  #tellingSoon = false;
  /** Calls that have ended and are not yet settled in the tables. */
  #ended: { call: CallId; outcome: Outcome }[] = [];
  #writing: Promise<void> | null = null;
  #lastCall = 0;

  constructor(deps: DeskDeps) {
    this.#deps = deps;
    // After a kill: what is overdue is settled before anything else is asked.
    deps.ledger.expire();
    this.#rest();
  }

  async reserve(ask: Ask): Promise<Grant> {
    const { ledger, now } = this.#deps;
    this.#lastCall = now();
    const answer = ledger.grant(ask, false);
    const grant = 'want' in answer ? await this.#leasing.run(() => this.#withLease(ask)) : answer;
    if (grant.ok) this.#deps.inBackground(this.#writeSoon().catch(() => undefined));
    else {
      this.#armCalls();
      this.#tellSoon();
      this.#showSoon();
    }
    return grant;
  }

  renew(call: CallId): void {
    this.#deps.ledger.renew(call);
  }

  /** Resolves when it is in the tables. */
  settle(call: CallId, outcome: Outcome): Promise<void> {
    this.#ended.push({ call, outcome });
    return this.#writeSoon();
  }

  /** Many calls share one commit: each of them waits for the disk, and nothing else runs meanwhile. */
  #writeSoon(): Promise<void> {
    this.#writing ??= new Promise<void>((resolve) => {
      setTimeout(resolve, WRITE_MS);
    }).then(() => this.#write());
    return this.#writing;
  }

  #write(): void {
    const { ledger, now } = this.#deps;
    this.#writing = null;
    ledger.write();
    const ended = this.#ended.splice(0);
    const failures = this.#settle(ended);
    // None of these is due any sooner.
    this.#armCalls(now() + LEASE_MS);
    if (ended.length > 0) {
      this.#arm('lease', now() + REPORT_MS);
      this.#tellSoon();
    }
    this.#showSoon();
    // Whoever waits tells it again: what is settled already stays so.
    if (failures.length > 0) throw failures[0];
  }

  /** Together; where that fails one by one, so that one that fails takes no other with it. */
  #settle(ended: readonly { call: CallId; outcome: Outcome }[]): unknown[] {
    if (ended.length === 0) return [];
    try {
      this.#deps.ledger.settleAll(ended);
      return [];
    } catch (error) {
      return ended.length === 1 ? [error] : ended.flatMap((one) => this.#settle([one]));
    }
  }

  check(ask: Bearer): boolean {
    return this.#deps.ledger.check(ask);
  }

  refused(ask: Ask, refusal: RouteRefusal): boolean {
    const known = this.#deps.ledger.refused(ask, refusal);
    if (known) {
      this.#armCalls();
      this.#tellSoon();
    }
    return known;
  }

  /** The user's ledger wants back what is not needed. `anew`: the budget is another one. */
  recall(anew: boolean): LeaseReport {
    const { ledger } = this.#deps;
    if (anew) {
      this.#dryUntil = 0;
      ledger.unblock(null);
      this.#showSoon();
    }
    return this.#report(ledger.lease.drop());
  }

  /** A budget changed, or something else that viewers are to see. */
  show(): void {
    const { ledger, session } = this.#deps;
    const dirty = ledger.accounts.takeDirty();
    if (dirty.length === 0) return;
    session.refresh(dirty);
    this.#deps.changed();
  }

  readonly alarms: Readonly<Record<AlarmName, () => Promise<void>>> = {
    calls: () => this.#after('calls', async () => this.#deps.ledger.expire()),
    shown: () => this.#after('shown', async () => this.show()),
    told: () =>
      this.#after('told', async () => {
        await this.#tell();
        this.#deps.ledger.events.sweep();
      }),
    lease: () => this.#after('lease', () => this.#leasing.run(() => this.#account())),
  };

  async #withLease(ask: Ask): Promise<Grant> {
    const { ledger, now } = this.#deps;
    // Another call may have got a lease meanwhile that is enough for this one.
    for (let tries = 0; tries < 3; tries += 1) {
      const dry = ledger.lease.current.active && now() < this.#dryUntil;
      const answer = ledger.grant(ask, dry);
      if (!('want' in answer)) return answer;
      if (await this.#topUp(answer.want)) break;
    }
    const grant = ledger.grant(ask, true);
    if ('want' in grant) throw new Error('a last word wants nothing');
    if (!grant.ok && grant.code === 'budget' && grant.scope === 'user') {
      this.#dryUntil = now() + DRY_MS;
    }
    return grant;
  }

  /** False: a recall came between, and the grant does not count. */
  async #topUp(want: Amount): Promise<boolean> {
    const { session, ledger, env } = this.#deps;
    const n = ledger.lease.next();
    this.#arm('lease', this.#deps.now() + REPORT_MS);
    const user = env.USER.getByName(session.meta.owner);
    return ledger.lease.take(n, await user.lease(session.meta.id, this.#report(n), want));
  }

  /** Tells the user's ledger what was used; gives the lease back when no call came for a while. */
  async #account(): Promise<void> {
    const { session, ledger, env, now } = this.#deps;
    const { owner, id } = session.meta;
    const over = ledger.idle && now() - this.#lastCall >= KEEP_MS;
    const n = over ? ledger.lease.drop() : ledger.lease.next();
    await env.USER.getByName(owner).report(id, this.#report(n), over);
  }

  #report(n: number): LeaseReport {
    this.#deps.ledger.write();
    const account = this.#deps.ledger.accounts.get(SESSION);
    return { n, used: usedOf(account), taken: takenOf(account) };
  }

  #tellSoon(): void {
    const { ledger, now, inBackground } = this.#deps;
    if (ledger.events.nodes().length === 0) return;
    // Set in the same turn as what is to be told, so that both are committed together.
    this.#arm('told', now() + RETRY_MS);
    if (this.#tellingSoon) return;
    this.#tellingSoon = true;
    inBackground(this.#tellTogether().catch(() => undefined));
  }

  async #tellTogether(): Promise<void> {
    try {
      await this.#tell();
      await new Promise((resolve) => setTimeout(resolve, TELL_MS));
    } finally {
      this.#tellingSoon = false;
    }
    this.#tellSoon();
  }

  #tell(): Promise<void> {
    const { ledger, env } = this.#deps;
    return this.#telling.run(async () => {
      const failures: unknown[] = [];
      for (const node of ledger.events.nodes()) {
        const events = ledger.events.of(node);
        const last = events.at(-1);
        if (!last) continue;
        try {
          // A thread that is gone has nobody to tell.
          await env.THREAD.getByName(node).gateway(events);
          ledger.events.told(node, last.id);
        } catch (error) {
          failures.push(error);
        }
      }
      // The alarm stays: it costs less to find nothing to tell than to be set and taken back with each call.
      if (failures.length > 0) throw failures[0];
    });
  }

  #showSoon(): void {
    if (this.#armed.has('shown') || !this.#deps.ledger.accounts.hasDirty()) return;
    this.#arm('shown', this.#deps.now() + SHOW_MS);
  }

  /** `soonest`: nothing has come that is due before, so that an alarm before it needs no other look. */
  #armCalls(soonest = 0): void {
    const armed = this.#armed.get('calls');
    if (armed !== undefined && armed <= soonest) return;
    const due = this.#deps.ledger.due();
    if (due !== null) this.#arm('calls', due);
  }

  #arm(name: AlarmName, at: number): void {
    const known = this.#armed.get(name);
    if (known !== undefined && known <= at) return;
    this.#armed.set(name, at);
    this.#deps.alarms.schedule(name, at);
  }

  /** Runs what an alarm is for, then sets the alarms for what is left to do, by what is stored. */
  async #after(name: AlarmName, work: () => Promise<void>): Promise<void> {
    this.#armed.delete(name);
    await work();
    this.#deps.alarms.cancel(name);
    this.#armed.delete(name);
    this.#rest();
  }

  #rest(): void {
    const { ledger, now } = this.#deps;
    this.#armCalls();
    if (ledger.events.nodes().length > 0) this.#arm('told', now());
    this.#showSoon();
    if (ledger.lease.current.active) this.#arm('lease', now() + KEEP_MS);
  }
}
