import type { WireFormat } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { readRequestBody, type RequestBody } from '../../../src/gateway/body/request-body.ts';
import { inputBound, outputBound, priceFor, unknownOf } from '../../../src/gateway/bounds.ts';
import { operationOf } from '../../../src/gateway/operation.ts';

const read = (format: WireFormat, value: unknown): RequestBody => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const body = readRequestBody(format, new TextEncoder().encode(text));
  if ('problem' in body) throw new Error(body.problem);
  return body;
};

const asking = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const boundOf = (body: RequestBody): number => inputBound(body.bytes.length, body);

describe('[GW14] a prompt whose size does not bound what the model reads', () => {
  it('counts a picture at the dearest that a maker counts one as, wherever it stands', () => {
    const url = { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } };
    const result = { type: 'tool_result', content: [url, url] };
    const plain = boundOf(read('anthropic', asking('hello')));
    expect(boundOf(read('anthropic', asking([url])))).toBeGreaterThan(plain + 16_000);
    expect(boundOf(read('anthropic', asking([result])))).toBeGreaterThan(plain + 32_000);
    const chat = asking([{ type: 'image_url', image_url: { url: 'https://a.example' } }]);
    expect(boundOf(read('openai-chat', chat))).toBeGreaterThan(plain + 16_000);
  });

  it.each([
    ['anthropic', asking([{ type: 'document', source: { type: 'url', url: 'https://a.b' } }])],
    ['anthropic', asking([{ type: 'document', source: { type: 'base64', data: 'JVBE' } }])],
    ['openai-chat', asking([{ type: 'file', file: { file_id: 'file_1' } }])],
    ['openai-responses', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['openai-responses', { messages: '', input: [{ type: 'input_file', file_id: 'file_1' }] }],
    ['openai-responses', '{"input":[{"type":"\\u0069nput_file","file_id":"file_1"}]}'],
    ['openai-responses', '{"input":[{"type":"input_file",}]}'],
  ] as const)(
    'is bounded by the largest context where %s names what is elsewhere',
    (format, body) => {
      expect(boundOf(read(format, body))).toBeGreaterThan(2_000_000);
    },
  );

  it('is bounded by its size where it only speaks of such things, or has their text', () => {
    const text = 'the "image" and the {"type":"file"} \u001b[1m';
    const inline = { type: 'document', source: { type: 'text', data: 'all of it' } };
    for (const content of [text, [{ type: 'text', text }], [inline]]) {
      const body = read('anthropic', {
        ...asking(content),
        tools: [{ name: 'file', type: 'custom' }],
      });
      expect(boundOf(body)).toBe(body.bytes.length + 1024);
    }
  });

  it('may be nested as deep as it is long', () => {
    const deep = `{"messages":${'['.repeat(200_000)}{"type":"image"}${']'.repeat(200_000)}}`;
    expect(() => read('anthropic', deep)).not.toThrow();
  });
});

describe('[GW15] what costs more than its tokens', () => {
  const generate = operationOf('openai', 'POST', '/v1/responses');
  const unknown = (value: unknown, headers: Record<string, string> = {}) =>
    unknownOf(generate, {
      method: 'POST',
      path: '/v1/responses',
      headers: new Headers(headers),
      body: read('openai-responses', value),
    });

  it.each([
    [{ service_tier: 'priority' }],
    [{ speed: 'fast' }],
    [{ inference_geo: 'us' }],
    [{ models: ['openai/o1-pro'] }],
    [{ plugins: [{ id: 'web' }] }],
    [{ web_search_options: {} }],
    [{ modalities: ['text', 'audio'] }],
    [{ input: [{ type: 'input_audio', data: '' }] }],
  ])('%j has no known price', (value) => {
    expect(unknown(value)).toMatchObject({ bounded: true });
  });

  it.each(['web_search', 'web_search_20250305', 'code_interpreter', 'mcp', 'image_generation'])(
    'a tool %s that the provider runs has no bound either',
    (type) => {
      expect(unknown({ tools: [{ type: 'function' }, { type }] })).toEqual({
        what: `the tool \`${type}\``,
        bounded: false,
      });
      expect(unknown({ tools: [{ type: 'namespace', tools: [{ type }] }] })).toBeDefined();
    },
  );

  it('a beta of Anthropic with other prices has none that is known', () => {
    const betas = 'claude-code-20250219,context-1m-2025-08-07';
    expect(unknown({}, { 'anthropic-beta': betas })).toMatchObject({ bounded: true });
  });

  it('what agents usually ask for has both', () => {
    const tools = [{ name: 'bash' }, { type: 'bash_20250124' }, { type: 'namespace', tools: [] }];
    const usual = { service_tier: 'auto', modalities: ['text'], mcp_servers: [], tools };
    const betas = 'claude-code-20250219,interleaved-thinking-2025-05-14';
    expect(unknown(usual, { 'anthropic-beta': betas })).toBeUndefined();
  });

  it.each(['/v1/completions', '/v1/batches', '/v1//chat/completions', '/v1/%63hat/completions'])(
    'what is asked at %s is not understood, so nobody knows its bound',
    (path) => {
      const operation = operationOf('openai', 'POST', path);
      const call = { method: 'POST', path, headers: new Headers(), body: null };
      expect(unknownOf(operation, call)).toMatchObject({ bounded: false });
    },
  );

  it('a cache that keeps for an hour costs twice the input', () => {
    const price = { input: 3000, output: 15_000, cacheRead: 300, cacheWrite: 3750 };
    const cached = (ttl: string) =>
      read('anthropic', `{"system":[{"cache_control":{"type":"ephemeral","ttl":${ttl}}}]}`);
    expect(priceFor(price, cached('"5m"'))).toEqual(price);
    for (const ttl of ['"1h"', '"\\u0031h"'])
      expect(priceFor(price, cached(ttl))).toEqual({ ...price, cacheWrite: 6000 });
  });
});

describe('[GW16] the limit of an answer', () => {
  const generate = operationOf('openai', 'POST', '/v1/chat/completions');
  const bound = (value: unknown, provider: string) =>
    outputBound(generate, read('openai-chat', value), { provider, maxOutput: 32_000 });

  it('counts by its newer name only where the provider is known to keep to that', () => {
    expect(bound({ max_completion_tokens: 10 }, 'openai')).toBe(10);
    expect(bound({ max_completion_tokens: 10 }, 'my-server')).toBe(32_000);
    expect(bound({ max_completion_tokens: 10, max_tokens: 20 }, 'my-server')).toBe(20);
  });

  it('is none where one of two is none', () => {
    expect(bound({ max_completion_tokens: 10, max_tokens: -1 }, 'openai')).toBe(32_000);
  });

  it('holds for each of the answers that are asked for', () => {
    expect(bound({ max_tokens: 10, n: 100 }, 'openai')).toBe(1000);
  });
});
