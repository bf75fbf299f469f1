import type { WireFormat } from '../gateway/events.ts';

/** Answered by filepath itself: needs no key and costs nothing. */
export const OFFLINE_MODEL = 'offline/demo';

const FORMATS: readonly (readonly [RegExp, WireFormat])[] = [
  [/^(anthropic\/|claude-)/, 'anthropic'],
  [/^(openai\/)?gpt-oss/, 'openai-chat'],
  [/^(openai\/)?(gpt-|chatgpt-|codex-|o\d)/, 'openai-responses'],
];

/** The protocol in which a model is best asked. A name may begin with the provider that passes it on. */
export function formatFor(model: string): WireFormat {
  const name = model.toLowerCase().replace(/^openrouter\//, '');
  return FORMATS.find(([pattern]) => pattern.test(name))?.[1] ?? 'openai-chat';
}
