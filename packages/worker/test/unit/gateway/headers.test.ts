import { describe, expect, it } from 'vitest';
import { secretsIn, toAgent, toProvider } from '../../../src/gateway/headers.ts';

const entries = (headers: Headers): Record<string, string> => Object.fromEntries(headers);

describe('[GW4] headers on their way to a provider', () => {
  it('are those of the client, with the provider’s key in the place of the agent’s', () => {
    const given = new Headers({
      authorization: 'Bearer fpk_x',
      'x-api-key': 'fpk_x',
      'x-filepath-runner-token': 'secret',
      'x-filepath-thread': 'th_x',
      'x-forwarded-for': '10.0.0.1',
      'cf-aig-authorization': 'mine',
      cookie: 'a=b',
      host: 'localhost',
      connection: 'close, x-hop',
      'x-hop': '1',
      'transfer-encoding': 'chunked',
      'content-length': '3',
      'accept-encoding': 'gzip',
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'context-1m',
      'openai-organization': 'org',
      'user-agent': 'claude-cli/2.1',
      'x-stainless-lang': 'js',
    });
    const own = { 'x-api-key': 'sk-ant-provider', 'anthropic-version': '2020-01-01' };
    expect(entries(toProvider(given, own))).toEqual({
      'accept-encoding': 'identity',
      'anthropic-beta': 'context-1m',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      'openai-organization': 'org',
      'user-agent': 'claude-cli/2.1',
      'x-api-key': 'sk-ant-provider',
      'x-stainless-lang': 'js',
    });
  });

  it('have the version that the provider’s settings name where the client names none', () => {
    const headers = toProvider(new Headers(), { 'anthropic-version': '2023-06-01' });
    expect(headers.get('anthropic-version')).toBe('2023-06-01');
  });
});

describe('[GW4] headers on their way to an agent', () => {
  it('keep limits and ids, and lose cookies, encodings and whatever has the key in it', () => {
    const own = { authorization: 'Bearer sk-provider-0123' };
    const given = new Headers({
      'content-type': 'text/event-stream',
      'retry-after': '7',
      'x-ratelimit-remaining-requests': '0',
      'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:00Z',
      'request-id': 'req_1',
      'set-cookie': 'a=b',
      'content-encoding': 'gzip',
      'content-length': '12',
      'x-echo': 'you sent Bearer sk-provider-0123',
      location: 'http://elsewhere.test/',
    });
    expect(entries(toAgent(given, secretsIn(own)))).toEqual({
      'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:00Z',
      'content-type': 'text/event-stream',
      'request-id': 'req_1',
      'retry-after': '7',
      'x-ratelimit-remaining-requests': '0',
    });
  });
});
