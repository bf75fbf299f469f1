import { OFFLINE_MODEL, type WireFormat } from '@filepath/protocol';
import type { RouteRefusal } from '../contract.ts';
import type { ProviderConfig } from '../providers/provider.ts';
import { anthropicName, canonicalName, makerOf, matches, splitName } from './names.ts';

/** Who answers, under which of its own names. `canonical` is the one that prices are known by. */
export type Target = {
  readonly provider: ProviderConfig;
  readonly model: string;
  readonly canonical: string;
};

type Candidate = Omit<Target, 'canonical'>;

export type Routing = {
  /** Those in force. */
  readonly providers: readonly ProviderConfig[];
  /** An ISO date. */
  readonly today: string;
  /** The list of models, by id. */
  readonly models?: ReadonlyMap<string, unknown>;
};

const SPOKEN: Record<WireFormat, string> = {
  anthropic: "Anthropic's Messages",
  'openai-chat': "OpenAI's Chat Completions",
  'openai-responses': "OpenAI's Responses",
};

/** Which provider answers for a model in a format. */
export function routeModel(
  routing: Routing,
  format: WireFormat,
  model: string,
): Target | 'offline' | RouteRefusal {
  if (model === OFFLINE_MODEL) return 'offline';
  if (model === '') {
    if (routing.providers.length === 0) return 'offline';
    return refused('The request names no model: give the agent one.');
  }
  const canonical = canonicalName(model, routing.today, routing.models?.keys());
  const candidates = candidatesFor(routing.providers, format, model, canonical);
  const found = candidates.find(({ provider }) => provider.formats.includes(format));
  if (found) return { ...found, canonical };
  const [silent] = candidates;
  if (silent)
    return refused(
      `${model} is a model of ${silent.provider.name}, which does not speak ${SPOKEN[format]}. ` +
        'Set OPENROUTER_API_KEY or add OpenRouter under Settings, or choose another model.',
    );
  return refused(`Nobody answers for ${model}: ${remedy(canonical)}`);
}

/** In the order in which they are asked. */
function candidatesFor(
  providers: readonly ProviderConfig[],
  format: WireFormat,
  model: string,
  canonical: string,
): Candidate[] {
  const byId = (id: string | null): ProviderConfig | undefined =>
    providers.find((provider) => provider.id === id);
  const { prefix, rest } = splitName(model);
  const found: Candidate[] = [];
  const add = (provider: ProviderConfig | undefined, name: string): void => {
    if (provider) found.push({ provider, model: name });
  };

  const direct = byId(prefix);
  if (direct && direct.kind !== 'openrouter') add(direct, ownName(direct, format, rest, canonical));
  for (const provider of providers)
    if (provider.models.some((pattern) => matches(pattern, model))) add(provider, model);
  const maker = splitName(canonical);
  if (maker.prefix === 'anthropic' || maker.prefix === 'openai') {
    const provider = byId(maker.prefix);
    if (provider !== direct && provider)
      add(provider, ownName(provider, format, prefix === null ? model : rest, canonical));
  } else if (prefix === null) {
    const provider = byId(format === 'anthropic' ? 'anthropic' : 'openai');
    if (maker.prefix === null) add(provider, model);
  }
  add(byId('openrouter'), canonical);
  const cloudflare = byId('cloudflare');
  if (cloudflare && cloudflare !== direct && maker.prefix !== null && takes(format, maker.prefix))
    add(cloudflare, ownName(cloudflare, format, canonical, canonical));
  return found;
}

/** AI Gateway takes models of every maker in Chat Completions only. */
function takes(format: WireFormat, maker: string): boolean {
  if (format === 'openai-chat') return true;
  return maker === (format === 'anthropic' ? 'anthropic' : 'openai');
}

function ownName(
  { kind }: ProviderConfig,
  format: WireFormat,
  given: string,
  canonical: string,
): string {
  if (kind === 'anthropic') return anthropicName(given, canonical);
  if (kind === 'openai') return makerOf(given) === 'openai' ? splitName(canonical).rest : given;
  if (kind !== 'cloudflare') return given;
  const { prefix, rest } = splitName(given);
  if (prefix === 'anthropic') {
    const name = anthropicName(rest, canonicalName(given, ''));
    return format === 'anthropic' ? name : `anthropic/${name}`;
  }
  return format === 'openai-chat' ? given : rest;
}

function remedy(canonical: string): string {
  const maker = splitName(canonical).prefix;
  const keys = ['OPENROUTER_API_KEY'];
  if (maker === 'anthropic' || maker === 'openai') keys.unshift(`${maker.toUpperCase()}_API_KEY`);
  return (
    `set ${keys.join(' or ')} in the environment of filepath, or add a provider under Settings. ` +
    `Without any, ${OFFLINE_MODEL} answers.`
  );
}

const refused = (message: string): RouteRefusal => ({ refused: 'no_provider', message });
