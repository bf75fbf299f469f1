import type { Ask } from '../../gateway/contract.ts';
import type { Account } from './accounts.ts';
import type { Amount } from './money.ts';

/** A reservation that is granted and not yet in the tables. */
export type Reservation = {
  readonly ask: Ask;
  readonly path: readonly string[];
  readonly outputBound: number;
  readonly held: Amount;
  readonly at: number;
};

/** Reservations on their way to the tables. What they hold counts from the moment they are granted. */
export class Unwritten {
  #reservations = new Map<string, Reservation>();

  get size(): number {
    return this.#reservations.size;
  }

  add(reservation: Reservation): void {
    this.#reservations.set(reservation.ask.call, reservation);
  }

  find(call: string): Reservation | null {
    return this.#reservations.get(call) ?? null;
  }

  all(): readonly Reservation[] {
    return [...this.#reservations.values()];
  }

  /** These are in the tables. */
  written(reservations: readonly Reservation[]): void {
    for (const { ask } of reservations) this.#reservations.delete(ask.call);
  }

  /** The account with what is held of it and not yet written. */
  over(account: Account): Account {
    let { held_tokens, held_nano } = account;
    for (const { path, held } of this.#reservations.values()) {
      if (!path.includes(account.scope)) continue;
      held_tokens += held.tokens;
      held_nano += held.nano;
    }
    return { ...account, held_tokens, held_nano };
  }
}
