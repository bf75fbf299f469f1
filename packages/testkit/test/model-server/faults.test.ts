import { APICallError, generateText, streamText } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { gate, type ModelServer, startModelServer, type Turn } from '../../src/index.ts';
import { READERS } from './readers.ts';

let server: ModelServer | null = null;

async function start(turn: Turn, keys?: readonly string[]): Promise<ModelServer> {
  server = await startModelServer({ script: [turn], ...(keys ? { keys } : {}) });
  return server;
}

afterEach(async () => {
  await server?.close();
  server = null;
});

type Read = { readonly text: string; readonly errors: readonly unknown[] };

describe.each(READERS)('a client of %s', (format, model) => {
  async function failure(turn: Turn, keys?: readonly string[]): Promise<APICallError> {
    const { url } = await start(turn, keys);
    const error: unknown = await generateText({
      model: model(url),
      prompt: 'hi',
      maxRetries: 0,
    }).catch((reason: unknown) => reason);
    if (!APICallError.isInstance(error)) throw new Error(`no error of a call: ${String(error)}`);
    return error;
  }

  async function stream(turn: Turn): Promise<Read> {
    const { url } = await start(turn);
    let text = '';
    const errors: unknown[] = [];
    const read = streamText({
      model: model(url),
      prompt: 'hi',
      maxRetries: 0,
      onError: () => {},
    });
    try {
      for await (const part of read.fullStream) {
        if (part.type === 'text-delta') text += part.text;
        if (part.type === 'error') errors.push(part.error);
      }
    } catch (error) {
      errors.push(error instanceof Error ? error.cause : error);
    }
    return { text, errors };
  }

  it.each([400, 401, 403, 404, 429, 500, 503, 529] as const)(
    'reads status %i in the words of its provider',
    async (status) => {
      const error = await failure({ fault: { kind: 'status', status, message: 'because so' } });
      expect(error.statusCode).toBe(status);
      expect(error.message).toBe('because so');
      expect(error.isRetryable).toBe(status === 429 || status >= 500);
    },
  );

  it('is told when a rate limit ends', async () => {
    const error = await failure({ fault: { kind: 'status', status: 429, retryAfterSeconds: 3 } });
    expect(error.responseHeaders).toMatchObject({ 'retry-after': '3' });
    const remaining =
      format === 'anthropic'
        ? 'anthropic-ratelimit-requests-remaining'
        : 'x-ratelimit-remaining-requests';
    expect(error.responseHeaders?.[remaining]).toBe('0');
  });

  it('is told that the prompt is too long', async () => {
    const error = await failure({ fault: { kind: 'overflow' } });
    expect(error.statusCode).toBe(400);
    expect(error.message).toMatch(/prompt is too long|maximum context length/);
  });

  it('is refused with a key that is not taken', async () => {
    const error = await failure({ text: 'never' }, ['another key']);
    expect(error.statusCode).toBe(401);
    expect(server?.calls).toHaveLength(0);
  });

  it('loses the connection before the headers', async () => {
    expect(String((await failure({ fault: { kind: 'reset' } })).cause)).toMatch(
      /ECONNRESET|other side closed/,
    );
  });

  it('loses the connection in the middle of a stream, after what was sent', async () => {
    const read = await stream({ text: 'abcdef', chunk: 2, fault: { kind: 'cut', after: 2 } });
    expect(read.text).toBe('abcd');
    expect(String(read.errors[0])).toMatch(/terminated/);
    expect(server?.count().output).toBe(0);
    expect(await server?.calls[0]?.ended).toBe('faulted');
  });

  it('gets no usage from a stream that stops short', async () => {
    const read = await stream({ text: 'abcdef', chunk: 2, fault: { kind: 'stop', after: 1 } });
    expect(read.text).toBe('ab');
    expect(server?.calls[0]?.usage()).toBeNull();
  });

  it('gets an event that is no JSON', async () => {
    const read = await stream({ text: 'abcd', chunk: 2, fault: { kind: 'bad-json', after: 1 } });
    expect(read.text.startsWith('ab')).toBe(true);
    expect(read.errors.length).toBeGreaterThan(0);
  });

  it('gets the first half of an event', async () => {
    const { url } = await start({ text: 'abcd', chunk: 2, fault: { kind: 'torn', after: 1 } });
    const body = await raw(url, format, true);
    expect(body).toContain('"ab"');
    expect(body.endsWith('\n\n')).toBe(false);
    expect(await server?.calls[0]?.ended).toBe('faulted');
  });

  it('gets an error within the stream', async () => {
    const read = await stream({ text: 'abcd', chunk: 2, fault: { kind: 'error-event', after: 1 } });
    expect(read.text).toBe('ab');
    expect(JSON.stringify(read.errors)).toContain('Overloaded');
  });

  it('gets everything but the usage', async () => {
    const { url } = await start({ text: 'abcd', fault: { kind: 'no-usage' } });
    const body = await raw(url, format, true);
    expect(body).toContain('abcd');
    expect(body).not.toMatch(/(input|prompt)_tokens/);
    expect(server?.calls[0]?.usage()).toBeNull();
  });

  it('gets everything but the end', async () => {
    const { url } = await start({ text: 'abcd', fault: { kind: 'no-end' } });
    const body = await raw(url, format, true);
    expect(body).toContain('abcd');
    expect(body).not.toMatch(/message_stop|\[DONE\]|response\.completed/);
  });

  it('gets half of an answer that is no stream', async () => {
    const { url } = await start({ text: 'abcd', fault: { kind: 'cut', after: 0 } });
    await expect(raw(url, format, false)).rejects.toThrow('terminated');
  });

  it.each(['hang', 'gate'] as const)('may leave while it waits: %s', async (how) => {
    const held = gate(1);
    const turn: Turn =
      how === 'hang' ? { fault: { kind: 'hang' } } : { text: 'abcd', chunk: 2, gate: held };
    const started = await start(turn);
    const leaving = new AbortController();
    const read = raw(started.url, format, true, leaving.signal).catch((error: unknown) => error);
    const { ended } = await started.call(1);
    if (how === 'gate') await held.reached;
    leaving.abort();
    expect(await read).toBeInstanceOf(Error);
    expect(await ended).toBe('left');
    expect(server?.open()).toBe(0);
  });

  it('reads ten megabytes, and slowly dripped events', async () => {
    const large = 'x'.repeat(10_000_000);
    expect((await stream({ text: large, chunk: 100_000 })).text).toBe(large);
    await server?.close();
    expect((await stream({ text: 'abcd', chunk: 2, dripMs: 5 })).text).toBe('abcd');
  });
});

const PATHS = {
  anthropic: '/v1/messages',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
};

async function raw(
  url: string,
  format: keyof typeof PATHS,
  stream: boolean,
  signal?: AbortSignal,
): Promise<string> {
  const said = [{ role: 'user', content: 'hi' }];
  const response = await fetch(`${url}${PATHS[format]}`, {
    method: 'POST',
    ...(signal ? { signal } : {}),
    body: JSON.stringify({
      model: 'scripted-large',
      stream,
      stream_options: { include_usage: true },
      ...(format === 'openai-responses' ? { input: said } : { messages: said }),
    }),
  });
  return response.text();
}
