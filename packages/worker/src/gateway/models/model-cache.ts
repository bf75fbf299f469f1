import { Model } from '@filepath/protocol';
import { z } from 'zod';
import { BUILT_IN } from './built-in.ts';
import { fetchJson } from './fetch-json.ts';
import { byId, type KnownModel, type KnownModels } from './known-model.ts';
import { parseOpenRouter } from './openrouter-list.ts';

export const FRESH_MS = 60 * 60 * 1000;
/** How long after a failure OpenRouter is left alone, and how long one request may be at it. */
const PAUSE_MS = 60_000;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 10 * 1024 * 1024;
const KEY = 'models:1';

export type Models = {
  readonly models: KnownModels;
  readonly source: 'openrouter' | 'built-in';
  /** When the source said it, in ms. Null: the list is built in. */
  readonly at: number | null;
};

/** What an older version stored and is not today's shape is fetched anew. */
const Stored = z.object({
  url: z.string(),
  at: z.number(),
  models: z.array(Model.omit({ available: true })),
});

type Store = {
  get(key: string): Promise<string | null>;
  put(key: string, value: string): Promise<void>;
};

export type ModelCacheParts = {
  readonly store: Store;
  readonly fetch: typeof fetch;
  readonly now: () => number;
};

/**
 * OpenRouter's list of models: in memory, kept in the store, read anew each hour. Requests share what came of a
 * fetch, never the fetch itself: it ends with the request that made it.
 */
export class ModelCache {
  #parts: ModelCacheParts;
  #held: (Models & { readonly url: string }) | null = null;
  #pausedUntil = 0;

  constructor(parts: ModelCacheParts) {
    this.#parts = parts;
  }

  /** What is known without the network. `later` does the rest, for one caller at a time. */
  async current(url: string): Promise<{ list: Models; later: (() => Promise<void>) | null }> {
    const list = await this.#known(url);
    const now = this.#parts.now();
    const fresh = list.at !== null && now - list.at < FRESH_MS;
    if (fresh || now < this.#pausedUntil) return { list, later: null };
    return { list, later: () => this.#refresh(url) };
  }

  isStale({ at }: Models): boolean {
    return at !== null && this.#parts.now() - at >= FRESH_MS;
  }

  async #known(url: string): Promise<Models> {
    if (this.#held?.url === url) return this.#held;
    const stored = await this.#parts.store.get(KEY).catch(() => null);
    const parsed = stored === null ? null : Stored.safeParse(jsonOf(stored));
    if (parsed?.success && parsed.data.url === url) {
      const { at } = parsed.data;
      this.#held = { url, at, source: 'openrouter', models: byId(parsed.data.models) };
    } else {
      this.#held = { url, at: null, source: 'built-in', models: BUILT_IN };
      this.#pausedUntil = 0;
    }
    return this.#held;
  }

  async #refresh(url: string): Promise<void> {
    const { store, now } = this.#parts;
    if (now() < this.#pausedUntil) return;
    this.#pausedUntil = now() + TIMEOUT_MS;
    const models = await this.#fetch(url);
    if (models === null) {
      this.#pausedUntil = now() + PAUSE_MS;
      return;
    }
    const at = now();
    this.#held = { url, at, source: 'openrouter', models: byId(models) };
    this.#pausedUntil = 0;
    await store.put(KEY, JSON.stringify({ url, at, models })).catch(() => undefined);
  }

  async #fetch(url: string): Promise<KnownModel[] | null> {
    try {
      const options = { limit: MAX_BYTES, timeoutMs: TIMEOUT_MS };
      const { status, body } = await fetchJson(this.#parts.fetch, url, options);
      return status === 200 ? parseOpenRouter(body) : null;
    } catch {
      return null;
    }
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
