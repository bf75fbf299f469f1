import type { CallId } from '@filepath/protocol';
import type { Ledger, Outcome } from './contract.ts';

const WAITS_MS = [50, 250, 1000, 4000];

/** Settles a call. Where the ledger does not answer at all, the reservation runs out at its worst case. */
export async function settle(ledger: Ledger, call: CallId, outcome: Outcome): Promise<void> {
  for (const wait of [0, ...WAITS_MS]) {
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    try {
      await ledger.settle(call, outcome);
      return;
    } catch {
      // An object that was evicted or is overloaded answers later.
    }
  }
}
