import { newSessionId, type SessionId } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeaseBook, type LeaseReport } from '../../../src/session/ledger/lease.ts';
import { usageRow } from '../../../src/session/ledger/usage-row.ts';
import { SESSION_MIGRATIONS } from '../../../src/session/schema.ts';
import { migrate } from '../../../src/storage/schema.ts';
import { USER_MIGRATIONS } from '../../../src/user/schema.ts';
import { UserLedger } from '../../../src/user/user-ledger.ts';
import { tokens } from '../support/ledgers.ts';
import { nodeSql } from '../support/node-sql.ts';

const rest = { nano: 0, calls: 1, estimated: 0, unpriced: 0 };

/** A session that has used and reserved this many tokens. */
const said = (n: number, used: number, held = 0): LeaseReport => ({
  n,
  used: usageRow(tokens({ input: used }), rest),
  taken: { tokens: used + held, nano: 0 },
});

function newLedger(budget: number | null): UserLedger {
  const sql = nodeSql();
  migrate(sql, USER_MIGRATIONS);
  const ledger = new UserLedger(sql);
  ledger.setBudget({ tokens: budget, usd: null });
  return ledger;
}

const WHAT = [
  'ask',
  'use',
  'use',
  'give back',
  'report',
  'deliver',
  'deliver',
  'deliver',
  'deliver',
] as const;

const wants = (n: number) => ({ tokens: n, nano: 0 });

describe("the user's budget", () => {
  it('[LED18] gives what is asked for and some more, as long as it is there', () => {
    const ledger = newLedger(1000);
    const [a, b] = [newSessionId(), newSessionId()];
    expect(ledger.lease(a, said(1, 0), wants(200))).toEqual({ tokens: 300, nano: null });
    expect(ledger.lease(b, said(1, 0), wants(700))).toEqual({ tokens: 700, nano: null });
    expect(ledger.lease(a, said(2, 250), wants(400))).toEqual({ tokens: 300, nano: null });
    expect(ledger.state()).toMatchObject({ reserved: { tokens: 750, usd: 0 } });
  });

  it('[LED18] takes back what a session does not need, and gives it to another', () => {
    const ledger = newLedger(1000);
    const [a, b] = [newSessionId(), newSessionId()];
    ledger.lease(a, said(1, 0), wants(900));
    expect(ledger.covers(b, wants(500))).toBe(false);
    expect(ledger.holders(true, b)).toEqual([a]);
    ledger.report(a, said(2, 100, 50), true);
    expect(ledger.covers(b, wants(500))).toBe(true);
    expect(ledger.lease(b, said(1, 0), wants(850)).tokens).toBe(850);
  });

  it('[LED18] does not take an older word for a newer one', () => {
    const ledger = newLedger(1000);
    const session = newSessionId();
    ledger.lease(session, said(2, 0), wants(400));
    ledger.report(session, said(1, 0), true);
    expect(ledger.state().reserved.tokens).toBe(475);
    expect(ledger.lease(session, said(2, 0), wants(900)).tokens).toBe(475);
  });

  it('[LED8] [LED18] that is lowered while calls hold more than it gives their session no more than it', () => {
    const ledger = newLedger(1000);
    const session = newSessionId();
    ledger.lease(session, said(1, 0), wants(600));
    ledger.setBudget({ tokens: 100, usd: null });
    ledger.report(session, said(2, 0, 600), true);
    expect(ledger.lease(session, said(3, 0, 600), wants(650)).tokens).toBe(100);
    expect(ledger.lease(session, said(4, 0, 600), wants(650)).tokens).toBe(100);
    expect(ledger.state().reserved.tokens).toBe(600);
    expect(ledger.covers(newSessionId(), wants(1))).toBe(false);
    expect(ledger.lease(session, said(5, 20), wants(50)).tokens).toBe(100);
    expect(ledger.state().reserved.tokens).toBe(80);
  });

  it('[LED19] counts what all sessions used where there is no budget', () => {
    const ledger = newLedger(null);
    const [a, b] = [newSessionId(), newSessionId()];
    expect(ledger.lease(a, said(1, 0), wants(1e9))).toEqual({ tokens: null, nano: null });
    ledger.report(a, said(2, 30), false);
    ledger.report(a, said(2, 30), false);
    ledger.report(b, said(1, 12), true);
    expect(ledger.state().usage).toMatchObject({ tokens: { input: 42 }, calls: 2 });
  });

  it('[LED18] is never exceeded by what sessions may use, whatever arrives late or not at all', () => {
    const step = fc.record({
      session: fc.nat(2),
      do: fc.constantFrom(...WHAT),
      amount: fc.integer({ min: 1, max: 999 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 60, maxLength: 120 }), (steps) => {
        const ledger = newLedger(1000);
        const sessions = Array.from({ length: 3 }, () => newFake());
        /** Words on their way, to be heard in any order. */
        const late: (() => void)[] = [];
        for (const { session, do: what, amount } of steps) {
          const one = sessions[session];
          if (!one) continue;
          const report = (n: number) => said(n, one.used);
          if (what === 'ask') {
            const n = one.book.next();
            const asked = report(n);
            const want = wants(one.used + amount);
            late.push(() => {
              const limit = ledger.lease(one.id, asked, want);
              late.push(() => void one.book.take(n, limit));
            });
          } else if (what === 'use') {
            const { active, limit } = one.book.current;
            if (active && one.used + amount <= (limit.tokens ?? Infinity)) one.used += amount;
          } else if (what === 'deliver') {
            const [word] = late.splice(amount % Math.max(1, late.length), 1);
            word?.();
          } else {
            const over = what === 'give back';
            const told = report(over ? one.book.drop() : one.book.next());
            late.push(() => ledger.report(one.id, told, over));
          }
          const may = sessions.map(({ used, book: { current } }) =>
            current.active ? Math.max(used, current.limit.tokens ?? 0) : used,
          );
          expect(may.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(1000);
        }
      }),
      { numRuns: 200 },
    );
  });
});

function newFake(): { id: SessionId; book: LeaseBook; used: number } {
  const sql = nodeSql();
  migrate(sql, SESSION_MIGRATIONS);
  return { id: newSessionId(), book: new LeaseBook(sql, () => undefined), used: 0 };
}
