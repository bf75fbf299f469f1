import {
  type AgentEntry,
  CATALOG,
  formatFor,
  type Model,
  type ModelGroup,
  OFFLINE_MODEL,
} from '@filepath/protocol';
import { matches, splitName, canonicalName } from '../directory/names.ts';
import { routeModel, type Routing } from '../directory/route-model.ts';
import type { ProviderConfig } from '../providers/provider.ts';
import { findModel, type KnownModels } from './known-model.ts';

/** Makers by the name that their models begin with; any other is shown by that name. */
const MAKERS: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  'x-ai': 'xAI',
  'meta-llama': 'Meta',
  mistralai: 'Mistral',
  deepseek: 'DeepSeek',
  qwen: 'Qwen',
  moonshotai: 'Moonshot',
  openrouter: 'OpenRouter',
};
const FIRST = ['anthropic', 'openai'];

export type Listing = Omit<Routing, 'models'> & { readonly models: KnownModels };

const OFFLINE_GROUP: ModelGroup = {
  provider: 'offline',
  name: 'Built in: a script, no model',
  models: [
    {
      id: OFFLINE_MODEL,
      name: 'Offline demo',
      contextLength: null,
      maxOutput: null,
      price: { input: 0, output: 0 },
      available: true,
    },
  ],
};

/** All models by maker: the built-in one, then those that can answer here, then the rest. */
export function modelGroups(routing: Listing): ModelGroup[] {
  const groups = new Map<string, ModelGroup>();
  const add = (provider: string, name: string, model: Model): void => {
    const group = groups.get(provider) ?? { provider, name, models: [] };
    group.models.push(model);
    groups.set(provider, group);
  };
  for (const provider of routing.providers)
    for (const model of ownModels(provider)) add(provider.id, provider.name, model);
  for (const known of routing.models.values()) {
    const maker = splitName(known.id).prefix ?? 'openrouter';
    const model = { ...known, available: isAvailable(routing, known.id) };
    add(maker, MAKERS[maker] ?? maker, model);
  }
  return [OFFLINE_GROUP, ...[...groups.values()].sort(inOrder)];
}

/** The models that an owner named of a provider. */
function ownModels({ id, models, kind, free, prices }: ProviderConfig): Model[] {
  if (kind !== 'openai-compatible') return [];
  return models
    .filter((name) => !name.includes('*'))
    .map((name) => ({
      id: `${id}/${name}`,
      name,
      contextLength: null,
      maxOutput: null,
      price: free
        ? { input: 0, output: 0 }
        : (Object.entries(prices).find(([pattern]) => matches(pattern, name))?.[1] ?? null),
      available: true,
    }));
}

export function isAvailable(routing: Routing, model: string): boolean {
  const target = routeModel(routing, formatFor(model), model);
  return target === 'offline' || 'provider' in target;
}

function inOrder(a: ModelGroup, b: ModelGroup): number {
  return rank(a) - rank(b) || a.name.localeCompare(b.name);
}

function rank({ provider, models }: ModelGroup): number {
  const first = FIRST.indexOf(provider);
  return (models.some(({ available }) => available) ? 0 : 10) + (first < 0 ? FIRST.length : first);
}

/** The model of an agent that names none: its type's, if it can be had here, or what can. */
export function defaultModel(
  routing: Listing,
  entry?: Pick<AgentEntry, 'defaultModel' | 'metered'>,
): string {
  if (entry && (!entry.metered || entry.defaultModel === '')) return entry.defaultModel;
  if (routing.providers.length === 0) return OFFLINE_MODEL;
  const wanted = [entry?.defaultModel, ...CATALOG.map((one) => one.defaultModel)];
  for (const model of wanted)
    if (model && isAvailable(routing, model)) return shown(routing, model);
  for (const provider of routing.providers) {
    const [own] = ownModels(provider);
    if (own) return own.id;
  }
  for (const { id } of routing.models.values()) if (isAvailable(routing, id)) return id;
  return OFFLINE_MODEL;
}

/** Under the name of the list, where it has one. */
function shown({ today, models }: Listing, model: string): string {
  const canonical = canonicalName(model, today, models.keys());
  return findModel(models, canonical) ? canonical : model;
}
