import type { WireFormat } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { upstreamOf } from '../../../src/gateway/directory/directory.ts';
import { BUILT_IN } from '../../../src/gateway/models/built-in.ts';
import { providersOfEnv } from '../../../src/gateway/providers/environment.ts';
import type { ProviderConfig } from '../../../src/gateway/providers/provider.ts';
import { headersOf, urlOf } from '../../../src/gateway/providers/upstream.ts';
import { provider, TODAY } from './provider-fixture.ts';

const CF = 'https://gateway.ai.cloudflare.com/v1/acc/gw';

describe('[PRO5] the URL of a call', () => {
  it.each<[ProviderConfig['kind'], string | undefined, WireFormat, string, string]>([
    ['anthropic', undefined, 'anthropic', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
    [
      'anthropic',
      'http://localhost:8080/v1/',
      'anthropic',
      '/v1/messages/count_tokens',
      'http://localhost:8080/v1/messages/count_tokens',
    ],
    ['anthropic', `${CF}/anthropic`, 'anthropic', '/v1/messages', `${CF}/anthropic/v1/messages`],
    [
      'openai',
      undefined,
      'openai-chat',
      '/v1/chat/completions',
      'https://api.openai.com/v1/chat/completions',
    ],
    [
      'openai',
      'http://localhost:8080',
      'openai-responses',
      '/v1/responses',
      'http://localhost:8080/v1/responses',
    ],
    ['openai', `${CF}/openai`, 'openai-responses', '/v1/responses', `${CF}/openai/responses`],
    ['openrouter', undefined, 'anthropic', '/v1/messages', 'https://openrouter.ai/api/v1/messages'],
    [
      'openrouter',
      'https://openrouter.ai/api',
      'openai-chat',
      '/v1/chat/completions',
      'https://openrouter.ai/api/v1/chat/completions',
    ],
    ['cloudflare', CF, 'anthropic', '/v1/messages', `${CF}/anthropic/v1/messages`],
    ['cloudflare', CF, 'openai-chat', '/v1/chat/completions', `${CF}/compat/chat/completions`],
    ['cloudflare', `${CF}/`, 'openai-responses', '/v1/responses', `${CF}/openai/responses`],
    [
      'openai-compatible',
      'http://127.0.0.1:11434',
      'openai-chat',
      '/v1/chat/completions',
      'http://127.0.0.1:11434/v1/chat/completions',
    ],
    [
      'openai-compatible',
      'https://x.test/v1beta/openai',
      'openai-chat',
      '/v1/chat/completions',
      'https://x.test/v1beta/openai/chat/completions',
    ],
  ])('%s at %s in %s', (kind, baseUrl, format, path, url) => {
    expect(urlOf(provider(kind, baseUrl === undefined ? {} : { baseUrl }), format, path)).toBe(url);
  });
});

describe('[PRO5] the headers of a call', () => {
  it('show each kind its key in its own way', () => {
    expect(headersOf(provider('anthropic'))).toEqual({
      'x-api-key': 'key-of-anthropic',
      'anthropic-version': '2023-06-01',
    });
    expect(headersOf(provider('openai'))).toEqual({ authorization: 'Bearer key-of-openai' });
    expect(headersOf(provider('openrouter'))).toEqual({
      authorization: 'Bearer key-of-openrouter',
    });
    expect(headersOf(provider('cloudflare'))).toEqual({
      'cf-aig-authorization': 'Bearer key-of-cloudflare',
    });
    expect(headersOf(provider('openai-compatible', { key: null }))).toEqual({});
  });

  it('have those of the owner, whatever their case', () => {
    const headers = { 'X-Title': 'mine', Authorization: 'Basic abc' };
    expect(headersOf(provider('openai', { headers }))).toEqual({
      'x-title': 'mine',
      authorization: 'Basic abc',
    });
  });
});

describe('[PRO6] the environment', () => {
  it('gives a provider for each key that is set', () => {
    const env = {
      OPENROUTER_API_KEY: 'a',
      ANTHROPIC_API_KEY: '',
      OPENAI_BASE_URL: 'http://x.test',
    };
    expect(providersOfEnv(env).map(({ id }) => id)).toEqual(['openrouter']);
  });

  it('gives a URL that is none to nobody, and its key neither', () => {
    const env = { OPENAI_API_KEY: 'a', OPENAI_BASE_URL: 'file:///etc/passwd' };
    expect(providersOfEnv(env)).toEqual([]);
  });

  it('shows the token of AI Gateway to Cloudflare and to nobody else', () => {
    const env = {
      CF_AIG_TOKEN: 'cf-token',
      ANTHROPIC_API_KEY: 'a',
      ANTHROPIC_BASE_URL: `${CF}/anthropic`,
      OPENAI_API_KEY: 'o',
      OPENAI_BASE_URL: 'https://gateway.ai.cloudflare.com.evil.test/v1',
    };
    const [anthropic, openai, ...rest] = providersOfEnv(env);
    expect(rest).toEqual([]);
    expect(anthropic && headersOf(anthropic)).toMatchObject({
      'x-api-key': 'a',
      'cf-aig-authorization': 'Bearer cf-token',
    });
    expect(openai && headersOf(openai)).toEqual({ authorization: 'Bearer o' });
  });

  it('gives AI Gateway itself where its URL is set', () => {
    const [cloudflare] = providersOfEnv({ CF_AIG_TOKEN: 'cf-token', CF_AIG_BASE_URL: CF });
    expect(cloudflare).toMatchObject({ id: 'cloudflare', baseUrl: CF, key: 'cf-token' });
  });
});

describe('[PRO7] the price of a call', () => {
  const ask = (providers: ProviderConfig[], format: WireFormat, model: string) => {
    const call = { format, path: '/v1/x', model, today: TODAY };
    const upstream = upstreamOf(providers, BUILT_IN, call);
    if ('refused' in upstream) throw new Error(upstream.message);
    return { price: upstream.price, maxOutput: upstream.maxOutput };
  };
  const sonnet = {
    price: { input: 3000, output: 15_000, cacheRead: 300, cacheWrite: 3750 },
    maxOutput: 128_000,
  };

  it('is that of the list, by whatever name and provider it goes', () => {
    expect(ask([provider('anthropic')], 'anthropic', 'claude-sonnet-4')).toEqual(sonnet);
    expect(ask([provider('anthropic')], 'anthropic', 'claude-sonnet-4-6')).toEqual(sonnet);
    expect(ask([provider('openrouter')], 'openai-chat', 'anthropic/claude-sonnet-4.6')).toEqual(
      sonnet,
    );
    expect(ask([provider('openai')], 'openai-chat', 'gpt-5.4-2026-03-05').price?.output).toBe(
      15_000,
    );
  });

  it('is nothing for what is free and for the built-in model', () => {
    const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const ollama = provider('openai-compatible', { id: 'ollama', free: true });
    expect(ask([ollama], 'openai-chat', 'ollama/llama3').price).toEqual(zero);
    expect(ask([], 'anthropic', 'offline/demo').price).toEqual(zero);
  });

  it('is the owner’s own where there is one', () => {
    const prices = { 'llama*': { input: 0.1, output: 0.4 } };
    const vllm = provider('openai-compatible', { id: 'vllm', prices });
    expect(ask([vllm], 'openai-chat', 'vllm/llama3').price).toEqual({
      input: 100,
      output: 400,
      cacheRead: 100,
      cacheWrite: 100,
    });
    expect(ask([vllm], 'openai-chat', 'vllm/qwen').price).toBeNull();
  });

  it('is not known of a server that calls a model by a well-known name', () => {
    const proxy = provider('openai-compatible', { id: 'proxy', models: ['gpt-5.4'] });
    expect(ask([proxy], 'openai-chat', 'gpt-5.4')).toEqual({ price: null, maxOutput: null });
  });
});
