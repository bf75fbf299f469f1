import { OFFLINE_MODEL, type WireFormat } from '@filepath/protocol';
import { OWNER_ID } from '../../auth/sign-in-link.ts';
import type { Env } from '../../env.ts';
import type { Directory, Price, RouteRefusal, Upstream } from '../contract.ts';
import { type Background, knownModels, providersInForce } from '../memory.ts';
import { findModel, type KnownModels } from '../models/known-model.ts';
import { FREE, nanoPrice } from '../models/price.ts';
import type { ProviderConfig } from '../providers/provider.ts';
import { headersOf, urlOf } from '../providers/upstream.ts';
import { KnownRoutes } from './known-routes.ts';
import { matches } from './names.ts';
import { routeModel, type Routing, type Target } from './route-model.ts';

/** More than the script of the built-in model ever says. */
const OFFLINE_OUTPUT = 4096;

const OFFLINE: Upstream = {
  provider: 'offline',
  url: null,
  headers: {},
  model: OFFLINE_MODEL,
  price: FREE,
  maxOutput: OFFLINE_OUTPUT,
};

/** Of this isolate. */
const routes = new KnownRoutes();

/** The directory of a user's providers. What it reads is in memory, once it is warm. */
export function directoryOf(env: Env, background: Background, userId = OWNER_ID): Directory {
  return {
    route: async (format, path, model) => {
      const providers = await providersInForce(env, background, userId);
      const { list, refreshed } = await knownModels(env, providers);
      if (refreshed) background.waitUntil(refreshed());
      const { models } = list;
      const call = { format, path, model, today: today() };
      return routes.find({ providers, models, today: call.today }, [format, path, model], () =>
        upstreamOf(providers, models, call),
      );
    },
  };
}

export const today = (): string => new Date().toISOString().slice(0, 10);

/** Where a call goes, by what is configured and known. */
export function upstreamOf(
  providers: readonly ProviderConfig[],
  models: KnownModels,
  call: {
    readonly format: WireFormat;
    readonly path: string;
    readonly model: string;
    readonly today: string;
  },
): Upstream | RouteRefusal {
  const routing = { providers, today: call.today, models };
  const target = asksModel(call)
    ? routeModel(routing, call.format, call.model)
    : anyOf(routing, call);
  if (target === 'offline') return OFFLINE;
  if ('refused' in target) return target;
  return {
    provider: target.provider.id,
    url: urlOf(target.provider, call.format, call.path),
    headers: headersOf(target.provider),
    model: target.model,
    price: priceOf(target, models),
    maxOutput: maxOutputOf(target, models),
  };
}

/** What names no model asks for none: files, batches, what was stored before. */
const asksModel = ({ model, path }: { readonly model: string; readonly path: string }): boolean =>
  model !== '' || /^\/v1\/(?:messages|chat\/completions|responses)$/.test(path);

function anyOf(routing: Routing, { format }: { readonly format: WireFormat }) {
  const own = format === 'anthropic' ? 'anthropic' : 'openai';
  const able = routing.providers.filter(({ formats }) => formats.includes(format));
  const provider = able.find(({ id }) => id === own) ?? able[0];
  return provider ? { provider, model: '', canonical: '' } : routeModel(routing, format, '');
}

/** The owner's own price, else the list's. */
export function priceOf(target: Target, models: KnownModels): Price | null {
  const { provider, model } = target;
  if (provider.free) return FREE;
  const own = Object.entries(provider.prices).find(([pattern]) => matches(pattern, model));
  if (own) return nanoPrice(own[1]);
  const listed = listedModel(target, models)?.price;
  return listed ? nanoPrice(listed) : null;
}

export function maxOutputOf(target: Target, models: KnownModels): number | null {
  return listedModel(target, models)?.maxOutput ?? null;
}

/** What a server of the owner's own serves under a known name may be anything. */
function listedModel({ provider, canonical }: Target, models: KnownModels) {
  return provider.kind === 'openai-compatible' ? undefined : findModel(models, canonical);
}
