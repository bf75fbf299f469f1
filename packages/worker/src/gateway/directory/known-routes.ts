import type { RouteRefusal, Upstream } from '../contract.ts';
import type { KnownModels } from '../models/known-model.ts';
import type { ProviderConfig } from '../providers/provider.ts';

type Route = Upstream | RouteRefusal;

/** What a route follows from, besides what is asked. */
type Basis = {
  readonly providers: readonly ProviderConfig[];
  readonly models: KnownModels;
  readonly today: string;
};

const MAX_ROUTES = 256;
const MAX_KEY = 1024;

/** Where calls went lately: agents ask for the same model over and over. Anything new of its basis empties it. */
export class KnownRoutes {
  #basis: Basis | null = null;
  #routes = new Map<string, Route>();

  find(basis: Basis, asked: readonly string[], make: () => Route): Route {
    const { providers, models, today } = basis;
    const known = this.#basis;
    const same = known?.providers === providers && known.models === models && known.today === today;
    if (!same || this.#routes.size >= MAX_ROUTES) this.#routes.clear();
    this.#basis = basis;
    const key = JSON.stringify(asked);
    const found = this.#routes.get(key) ?? make();
    if (key.length <= MAX_KEY) this.#routes.set(key, found);
    return found;
  }
}
