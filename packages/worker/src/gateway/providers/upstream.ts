import type { WireFormat } from '@filepath/protocol';
import type { ProviderConfig } from './provider.ts';

/** The provider's own URL for what an agent asked of a format: `path` begins with `/v1/`. */
export function urlOf(
  { kind, baseUrl }: Pick<ProviderConfig, 'kind' | 'baseUrl'>,
  format: WireFormat,
  path: string,
): string {
  const base = baseUrl.replace(/\/+$/, '');
  const rest = path.replace(/^\/v1(?=\/)/, '');
  if (kind === 'cloudflare') return `${base}${CLOUDFLARE_PARTS[format]}${rest}`;
  if (kind === 'anthropic' || kind === 'openrouter') return `${versioned(base)}${rest}`;
  return `${hasPath(base) ? base : `${base}/v1`}${rest}`;
}

/** What AI Gateway calls the format: only the unified API takes models of every maker. */
const CLOUDFLARE_PARTS: Record<WireFormat, string> = {
  anthropic: '/anthropic/v1',
  'openai-chat': '/compat',
  'openai-responses': '/openai',
};

const versioned = (base: string): string => (/\/v\d+$/.test(base) ? base : `${base}/v1`);
const hasPath = (base: string): boolean => new URL(base).pathname !== '/';

/** For clients that name none. */
const ANTHROPIC_VERSION = '2023-06-01';

/** The headers that show a provider its key. */
export function headersOf(
  provider: Pick<ProviderConfig, 'kind' | 'key' | 'headers'>,
): Record<string, string> {
  const { kind, key, headers } = provider;
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (key === null) return own;
  if (kind === 'anthropic')
    return { 'x-api-key': key, 'anthropic-version': ANTHROPIC_VERSION, ...own };
  if (kind === 'cloudflare') return { 'cf-aig-authorization': `Bearer ${key}`, ...own };
  return { authorization: `Bearer ${key}`, ...own };
}
