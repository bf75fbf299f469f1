import type { Sql } from '../../storage/sql.ts';
import { readValue, writeValue } from '../../storage/values.ts';
import { EMPTY_HISTOGRAM, type Histogram, put } from '../counts.ts';

/** What was asked of an extension: its tools, or a hook by its name. */
type Counted = { readonly of: string; readonly ok: boolean; readonly ms: number };

/** Of one extension in one chat, whatever its version. */
export type ExtensionCounts = {
  readonly calls: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, number>>;
  readonly refused: number;
  readonly duration: Histogram;
};
export type AllExtensionCounts = Readonly<Record<string, ExtensionCounts>>;

const FRESH: ExtensionCounts = { calls: {}, errors: {}, refused: 0, duration: EMPTY_HISTOGRAM };
/** Extensions that are counted one by one; those that were here first. */
const MOST = 64;

/** How often extensions were asked, how often that failed, and how long it took. */
export class ExtensionCounter {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  all(): AllExtensionCounts {
    return readValue<AllExtensionCounts>(this.#sql, 'extension_counts') ?? {};
  }

  add(name: string, { of, ok, ms }: Counted): void {
    this.#change(name, (before) => ({
      ...before,
      calls: { ...before.calls, [of]: (before.calls[of] ?? 0) + 1 },
      errors: { ...before.errors, [of]: (before.errors[of] ?? 0) + (ok ? 0 : 1) },
      duration: put(before.duration, ms),
    }));
  }

  refused(name: string): void {
    this.#change(name, (before) => ({ ...before, refused: before.refused + 1 }));
  }

  #change(name: string, next: (before: ExtensionCounts) => ExtensionCounts): void {
    this.#sql.transaction(() => {
      const all = this.all();
      const before = all[name];
      if (!before && Object.keys(all).length >= MOST) return;
      writeValue(this.#sql, 'extension_counts', { ...all, [name]: next(before ?? FRESH) });
    });
  }
}
