import type { WireFormat } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { routeModel } from '../../../src/gateway/directory/route-model.ts';
import { BUILT_IN } from '../../../src/gateway/models/built-in.ts';
import type { ProviderConfig } from '../../../src/gateway/providers/provider.ts';
import { provider, TODAY } from './provider-fixture.ts';

const anthropic = provider('anthropic');
const openai = provider('openai');
const openrouter = provider('openrouter');
const cloudflare = provider('cloudflare', {
  baseUrl: 'https://gateway.ai.cloudflare.com/v1/acc/gw',
});
const ollama = provider('openai-compatible', {
  id: 'ollama',
  name: 'Ollama',
  models: ['llama*', 'mistral-small', 'vendor/*'],
});
const all = [anthropic, openai, openrouter, cloudflare, ollama];

const route = (
  providers: readonly ProviderConfig[],
  format: WireFormat,
  model: string,
  today = TODAY,
): string => {
  const target = routeModel({ providers, today, models: BUILT_IN }, format, model);
  if (target === 'offline') return target;
  return 'refused' in target ? target.message : `${target.provider.id} ${target.model}`;
};

type Row = [readonly ProviderConfig[], WireFormat, string, string];

describe('[PRO2] a model is answered by', () => {
  const rows: Row[] = [
    [all, 'anthropic', 'offline/demo', 'offline'],
    [[], 'openai-chat', '', 'offline'],
    // A name with its provider, configured directly.
    [all, 'anthropic', 'anthropic/claude-sonnet-4.5', 'anthropic claude-sonnet-4-5'],
    [all, 'anthropic', 'anthropic/claude-3.5-haiku', 'anthropic claude-3-5-haiku'],
    [all, 'openai-responses', 'openai/gpt-5.6-sol', 'openai gpt-5.6-sol'],
    [all, 'openai-chat', 'ollama/llama3', 'ollama llama3'],
    [all, 'openai-chat', 'ollama/library/phi:latest', 'ollama library/phi:latest'],
    // Of a provider that is not configured, or does not speak the format.
    [
      [openrouter],
      'anthropic',
      'anthropic/claude-sonnet-4.5',
      'openrouter anthropic/claude-sonnet-4.5',
    ],
    [all, 'openai-chat', 'anthropic/claude-sonnet-4.5', 'openrouter anthropic/claude-sonnet-4.5'],
    [all, 'anthropic', 'openai/gpt-5.4', 'openrouter openai/gpt-5.4'],
    [all, 'openai-chat', 'google/gemini-3-pro', 'openrouter google/gemini-3-pro'],
    [all, 'openai-responses', 'ollama/llama3', 'openrouter ollama/llama3'],
    // OpenRouter by name.
    [all, 'anthropic', 'openrouter/anthropic/claude-opus-4.8', 'anthropic claude-opus-4-8'],
    [
      [openrouter],
      'openai-chat',
      'openrouter/google/gemini-3-pro',
      'openrouter google/gemini-3-pro',
    ],
    [all, 'openai-chat', 'openrouter/auto', 'openrouter openrouter/auto'],
    // Bare names.
    [all, 'anthropic', 'claude-sonnet-4-5-20250929', 'anthropic claude-sonnet-4-5-20250929'],
    [
      [openrouter],
      'anthropic',
      'claude-sonnet-4-5-20250929',
      'openrouter anthropic/claude-sonnet-4.5',
    ],
    [all, 'openai-chat', 'claude-haiku-4-5', 'openrouter anthropic/claude-haiku-4.5'],
    [all, 'openai-chat', 'gpt-5.4', 'openai gpt-5.4'],
    [[openrouter], 'openai-responses', 'gpt-5.4', 'openrouter openai/gpt-5.4'],
    [[anthropic, openrouter], 'openai-chat', 'qwen3-coder', 'openrouter qwen/qwen3-coder'],
    [[openrouter], 'openai-chat', 'unheard-of', 'openrouter unheard-of'],
    [[openai, openrouter], 'openai-chat', 'unheard-of', 'openai unheard-of'],
    [[anthropic], 'anthropic', 'unheard-of', 'anthropic unheard-of'],
    // Names that the owner gave to a provider.
    [all, 'openai-chat', 'llama3:70b', 'ollama llama3:70b'],
    [all, 'openai-chat', 'mistral-small', 'ollama mistral-small'],
    [all, 'openai-chat', 'vendor/thing', 'ollama vendor/thing'],
    // Cloudflare's AI Gateway.
    [[cloudflare], 'anthropic', 'claude-sonnet-4-5', 'cloudflare claude-sonnet-4-5'],
    [[cloudflare], 'anthropic', 'anthropic/claude-sonnet-4.5', 'cloudflare claude-sonnet-4-5'],
    [
      [cloudflare],
      'openai-chat',
      'anthropic/claude-sonnet-4.5',
      'cloudflare anthropic/claude-sonnet-4-5',
    ],
    [[cloudflare], 'openai-responses', 'openai/gpt-5.4', 'cloudflare gpt-5.4'],
    [[cloudflare], 'openai-chat', 'gpt-5.4', 'cloudflare openai/gpt-5.4'],
    [
      all,
      'openai-chat',
      'cloudflare/workers-ai/@cf/meta/llama',
      'cloudflare workers-ai/@cf/meta/llama',
    ],
  ];
  it.each(rows)('%#: %s', (providers, format, model, expected) => {
    expect([model, format, route(providers, format, model)]).toEqual([model, format, expected]);
  });
});

describe('[PRO3] the defaults of the catalog are had', () => {
  it.each<Row>([
    [[anthropic], 'anthropic', 'claude-sonnet-4', 'anthropic claude-sonnet-4-6'],
    [[anthropic], 'anthropic', 'claude-sonnet-4-20250514', 'anthropic claude-sonnet-4-6'],
    [[anthropic], 'anthropic', 'claude-sonnet-4-0', 'anthropic claude-sonnet-4-6'],
    [[openrouter], 'anthropic', 'claude-sonnet-4', 'openrouter anthropic/claude-sonnet-4.6'],
    [[openrouter], 'openai-chat', 'claude-sonnet-4', 'openrouter anthropic/claude-sonnet-4.6'],
    [[openai], 'openai-responses', 'o3', 'openai o3'],
    [[openrouter], 'openai-responses', 'o3', 'openrouter openai/o3'],
    [[openrouter], 'openai-chat', 'qwen/qwen3-coder', 'openrouter qwen/qwen3-coder'],
  ])('%#: %s', (providers, format, model, expected) => {
    expect(route(providers, format, model)).toBe(expected);
  });

  it('under their successors, from the day on which their maker retires them', () => {
    expect(route([openai], 'openai-responses', 'o3', '2026-12-10')).toBe('openai o3');
    expect(route([openai], 'openai-responses', 'o3', '2026-12-11')).toBe('openai gpt-5.6-sol');
    expect(route([anthropic], 'anthropic', 'claude-sonnet-4', '2026-06-14')).toBe(
      'anthropic claude-sonnet-4',
    );
  });
});

describe('[PRO4] a model that nobody answers for is refused with what to do', () => {
  it.each<Row>([
    [[], 'anthropic', 'claude-sonnet-4', 'set ANTHROPIC_API_KEY or OPENROUTER_API_KEY'],
    [[], 'openai-responses', 'o3', 'set OPENAI_API_KEY or OPENROUTER_API_KEY'],
    [[], 'openai-chat', 'google/gemini-3-pro', 'set OPENROUTER_API_KEY in the environment'],
    [[anthropic], 'openai-chat', 'claude-opus-4.8', "does not speak OpenAI's Chat Completions"],
    [[openai], 'anthropic', 'claude-opus-4.8', 'Nobody answers for claude-opus-4.8'],
    [[openai], 'openai-chat', '', 'names no model'],
    [[cloudflare], 'openai-responses', 'google/gemini-3-pro', 'Nobody answers'],
  ])('%#: %s', (providers, format, model, words) => {
    expect(route(providers, format, model)).toContain(words);
  });
});
