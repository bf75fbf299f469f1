import type { ProviderKind, WireFormat } from '@filepath/protocol';

type Kind = {
  readonly name: string;
  /** Null: the owner says it. */
  readonly baseUrl: string | null;
  readonly formats: readonly WireFormat[];
  readonly needsKey: boolean;
};

const ALL: readonly WireFormat[] = ['anthropic', 'openai-chat', 'openai-responses'];

export const KINDS: Readonly<Record<ProviderKind, Kind>> = {
  openrouter: {
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    formats: ALL,
    needsKey: true,
  },
  anthropic: {
    name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com',
    formats: ['anthropic'],
    needsKey: true,
  },
  openai: {
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    formats: ['openai-chat', 'openai-responses'],
    needsKey: true,
  },
  cloudflare: { name: 'Cloudflare AI Gateway', baseUrl: null, formats: ALL, needsKey: true },
  'openai-compatible': {
    name: 'OpenAI-compatible',
    baseUrl: null,
    formats: ['openai-chat'],
    needsKey: false,
  },
};

export function formatsOf(kind: ProviderKind, responses: boolean): readonly WireFormat[] {
  const { formats } = KINDS[kind];
  return responses && !formats.includes('openai-responses')
    ? [...formats, 'openai-responses']
    : formats;
}
