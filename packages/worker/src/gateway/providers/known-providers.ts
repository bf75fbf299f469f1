import type { ProviderConfig } from './provider.ts';
import type { StoredProvider } from './provider-table.ts';

/** What is held is used for this long at most: a change made elsewhere is known then. */
const TTL_MS = 5000;
/** A busy worker reads anew before that, beside its calls. */
const RENEW_MS = 2500;
/** With the database away, what is held is used for this long. */
const GRACE_MS = 60_000;

type Held = {
  readonly at: number;
  readonly stored: readonly StoredProvider[];
};

type Parts = {
  readonly read: (userId: string) => Promise<StoredProvider[]>;
  readonly now: () => number;
  /** Work that goes on beside the call. */
  readonly later: (work: Promise<void>) => void;
};

/**
 * Providers of the settings in the worker's memory. Requests share what was read, never the reading: that ends with
 * the request that made it.
 */
export class KnownProviders {
  #held = new Map<string, Held>();
  #renewing = 0;
  /** Counts changes made here: what was read before one is not held after it. */
  #changes = 0;

  async of(userId: string, { read, now, later }: Parts): Promise<readonly StoredProvider[]> {
    const held = this.#held.get(userId);
    const age = held === undefined ? Infinity : now() - held.at;
    if (held !== undefined && age < TTL_MS) {
      if (age >= RENEW_MS && now() >= this.#renewing) {
        this.#renewing = now() + RENEW_MS;
        later(this.#read(userId, read, now).then(undefined, () => undefined));
      }
      return held.stored;
    }
    try {
      return await this.#read(userId, read, now);
    } catch (error) {
      if (held !== undefined && age < GRACE_MS) return held.stored;
      throw error;
    }
  }

  /** After a change made here: the next call reads anew. */
  forget(userId: string): void {
    this.#changes += 1;
    this.#held.delete(userId);
  }

  async #read(userId: string, read: Parts['read'], now: () => number) {
    const [changes, at] = [this.#changes, now()];
    const stored = await read(userId);
    if (changes === this.#changes) this.#held.set(userId, { at, stored });
    return stored;
  }
}

/** The providers that are asked: those of the settings, then those of the environment whose place is free. */
export function inForce(
  stored: readonly StoredProvider[],
  environment: readonly ProviderConfig[],
): ProviderConfig[] {
  const taken = new Set(stored.map(({ config }) => config.id));
  return [
    ...stored.filter(({ readable }) => readable).map(({ config }) => config),
    ...environment.filter(({ id }) => !taken.has(id)),
  ];
}
