/** Tools that the client runs, or that only describe others. Every other tool is run by the provider. */
const CLIENTS_OWN =
  /^(?:function|custom|namespace|local_shell|apply_patch|computer|computer_use_preview|tool_search(?:_.*)?|(?:bash|text_editor|computer|memory)_\d+)$/;

const USUAL_TIERS = new Set(['auto', 'default', 'standard', 'standard_only', 'flex']);

/** By key: whether a value asks for something that the price of tokens does not cover. */
const CHARGED: Readonly<Record<string, (value: unknown) => boolean>> = {
  service_tier: (value) => typeof value !== 'string' || !USUAL_TIERS.has(value),
  speed: (value) => value !== 'standard',
  inference_geo: (value) => value !== 'global',
  // OpenRouter: other models in this one's place, and what it does around a call.
  models: () => true,
  fallbacks: () => true,
  plugins: () => true,
  web_search_options: () => true,
  mcp_servers: (value) => !Array.isArray(value) || value.length > 0,
  audio: () => true,
  modalities: (value) => !Array.isArray(value) || value.some((one) => one !== 'text'),
};

export const CHARGED_KEYS: readonly string[] = Object.keys(CHARGED);

/** What of a request has a price of its own, in words; null where its tokens are all that it costs. */
export function chargedFor(value: (key: string) => unknown): string | null {
  const key = CHARGED_KEYS.find((name) => {
    const given = value(name);
    return given !== undefined && given !== null && CHARGED[name]?.(given) === true;
  });
  return key === undefined ? null : `\`${key}\``;
}

const typeOf = (tool: unknown): unknown =>
  typeof tool === 'object' && tool !== null ? Reflect.get(tool, 'type') : undefined;

const listOf = (tools: unknown): unknown[] => (Array.isArray(tools) ? tools : []);

/** A tool that the provider runs: it has its own price, and the model reads what comes of it. */
export function providersTool(tools: unknown): string | null {
  for (const tool of listOf(tools)) {
    const type = typeOf(tool) ?? 'custom';
    if (typeof type !== 'string') return 'a tool of no known type';
    if (!CLIENTS_OWN.test(type)) return `the tool \`${type.slice(0, 64)}\``;
    const inner = type === 'namespace' ? providersTool(Reflect.get(Object(tool), 'tools')) : null;
    if (inner !== null) return inner;
  }
  return null;
}

/** Tools whose description is the provider's own, and in no request. */
export function undescribedTools(tools: unknown): number {
  return listOf(tools).filter((tool) => /_\d+$/.test(String(typeOf(tool)))).length;
}

const PREMIUM = /(?:^|[\s,])(?:context-1m|fast-mode)/;

/** Of Anthropic's betas, those whose tokens have another price. */
export function chargedBeta(headers: Headers): string | null {
  const betas = headers.get('anthropic-beta') ?? '';
  return PREMIUM.test(betas) ? 'the beta that it asks for' : null;
}
