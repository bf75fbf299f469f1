import { gzipSync } from 'node:zlib';
import { WireFormat } from '@filepath/protocol';
import { type ModelServer, startModelServer, type Turn } from '@filepath/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AGENT, KEY, startGateway, type TestGateway } from './support/gateway.ts';

const PROVIDER_KEY = 'sk-provider-canary-0123456789';

let gateway: TestGateway;
let server: ModelServer;
let calls = 0;
let told = 0;

beforeAll(async () => {
  gateway = await startGateway();
  server = await startModelServer({ script: [], keys: [PROVIDER_KEY] });
});

afterAll(async () => {
  await gateway.stop();
  await server.close();
});

beforeEach(async () => {
  const { ended, said } = await gateway.ledger();
  [calls, told] = [ended.length, said.length];
  const headers = { authorization: `Bearer ${PROVIDER_KEY}` };
  await gateway.set({
    upstream: { url: server.url, headers },
    times: {},
    grant: null,
    holds: false,
    ahead: false,
  });
});

const PATHS: Record<WireFormat, string> = {
  anthropic: '/gateway/anthropic/v1/messages',
  'openai-chat': '/gateway/openai/v1/chat/completions',
  'openai-responses': '/gateway/openai/v1/responses',
};

const PROMPT = [{ role: 'user', content: 'hello' }];

/** A request in the words of its format. */
function bodyOf(format: WireFormat, more: Record<string, unknown> = {}): Record<string, unknown> {
  if (format === 'anthropic') return { model: 'm-1', max_tokens: 4096, messages: PROMPT, ...more };
  if (format === 'openai-chat') return { model: 'm-1', messages: PROMPT, ...more };
  return { model: 'm-1', input: PROMPT, ...more };
}

const play = (...script: Turn[]): void => server.play({ script });
const lastRequest = () => server.requests.at(-1);

describe.each(WireFormat.options)('%s', (format) => {
  const usage = { input: 40, output: 17, cacheRead: 8, cacheWrite: format === 'anthropic' ? 5 : 0 };
  const turn: Turn = {
    text: 'Good day to you.',
    chunk: 4,
    tools: [{ name: 'bash', input: { command: 'true' } }],
    usage,
  };

  it.each([true, false])('[GW2] passes an answer on as it is, stream %s', async (stream) => {
    play(turn, turn);
    const body = bodyOf(format, { stream, tools: [] });
    const ours = await gateway.post(PATHS[format], body);
    const direct = await fetch(`${server.url}${PATHS[format].replace(/^\/gateway\/\w+/, '')}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${PROVIDER_KEY}`, 'content-type': 'application/json' },
      body: lastRequest()?.body ?? '',
    });
    expect([ours.status, ours.headers.get('content-type')]).toEqual([
      direct.status,
      direct.headers.get('content-type'),
    ]);
    const plain = (text: string): string =>
      text.replaceAll(/\d{10}/g, 'T').replaceAll(/[_-]\d+(_\d+)?/g, '_N');
    expect(plain(await ours.text())).toBe(plain(await direct.text()));
  });

  it.each([true, false])('[GW9] counts to the token, stream %s', async (stream) => {
    play(turn);
    await (await gateway.post(PATHS[format], bodyOf(format, { stream }))).text();
    const { ended, open, asks } = await gateway.ledger();
    expect(open).toEqual([]);
    expect(ended.at(-1)).toMatchObject({
      outcome: 'completed',
      status: 200,
      tokens: server.calls.at(-1)?.usage(),
      call: asks.at(-1)?.call,
    });
    expect(ended).toHaveLength(calls + 1);
    expect(ended.at(-1)?.firstByteMs).not.toBeNull();
  });

  it('[GW4] shows the provider its own key and nothing of ours', async () => {
    play(turn);
    await (await gateway.post(PATHS[format], bodyOf(format))).text();
    const sent = JSON.stringify(lastRequest());
    expect(sent).toContain(PROVIDER_KEY);
    for (const ours of [KEY, AGENT['x-filepath-runner-token'], 'x-filepath']) {
      expect(sent).not.toContain(ours);
    }
  });

  it('[GW5] changes nothing of a body but the usage that it asks a streamed chat for', async () => {
    play(turn);
    const more = '"metadata":{"big":12345678901234567890},"temperature":1.0, "stream" : true';
    const text = `${JSON.stringify(bodyOf(format)).slice(0, -1)},${more}}`;
    await (await gateway.post(PATHS[format], text)).text();
    const added = format === 'openai-chat' ? '"stream_options":{"include_usage":true},' : '';
    expect(lastRequest()?.body).toBe(`{${added}${text.slice(1)}`);
  });

  it('[GW6] lowers the limit to what is granted, or names one', async () => {
    await gateway.set({ grant: 2000 });
    play(turn);
    await (await gateway.post(PATHS[format], bodyOf(format))).text();
    const key = { anthropic: 'max_tokens', 'openai-chat': 'max_tokens' };
    const name = Reflect.get(key, format) ?? 'max_output_tokens';
    expect(JSON.parse(lastRequest()?.body ?? '')).toHaveProperty(String(name), 2000);
  });

  it('[GW6] refuses what cannot be limited so far, and asks no provider', async () => {
    await gateway.set({ grant: 1000 });
    const before = server.requests.length;
    const response = await gateway.post(PATHS[format], bodyOf(format));
    expect(response.status).toBe(400);
    expect(server.requests).toHaveLength(before);
    expect((await gateway.ended(calls + 1)).ended.at(-1)?.tokens).toMatchObject({
      input: 0,
      output: 0,
    });
  });

  it('[GW18] is asked while its session reserves it, and the agent has nothing before it is', async () => {
    await gateway.set({ ahead: true, holds: true });
    play(turn);
    const before = server.requests.length;
    const response = gateway.post(PATHS[format], bodyOf(format, { stream: true }));
    await expect.poll(() => server.requests.length).toBe(before + 1);
    await expect.poll(() => server.calls.at(-1)?.usage()).toBeDefined();
    const early = await Promise.race([response, gateway.ledger()]);
    expect(early).not.toBeInstanceOf(Response);
    await gateway.set({ holds: false });
    expect(await (await response).text()).not.toBe('');
    const { ended, said } = await gateway.ended(calls + 1);
    expect(ended.at(-1)).toMatchObject({
      outcome: 'completed',
      tokens: server.calls.at(-1)?.usage(),
    });
    expect(said.slice(told), 'once, however often it is looked at').toEqual([true]);
  });

  it.each([0, -1])(
    '[GW18] is broken off where it is not reserved after all, grant %s',
    async (grant) => {
      await gateway.set({ ahead: true, grant });
      play({ ...turn, fault: { kind: 'hang' } });
      const response = await gateway.post(PATHS[format], bodyOf(format));
      expect(await response.text()).toContain(grant === 0 ? 'used up' : 'Try again');
      const { ended, open, said } = await gateway.ledger();
      expect([ended.length, open]).toEqual([calls, []]);
      expect(said.slice(told), 'the next one waits').toEqual([false]);
    },
  );

  it('[GW18] that is granted less than it was sent with is charged at its worst, and told', async () => {
    await gateway.set({ ahead: true, grant: 2000 });
    play(turn);
    const response = await gateway.post(PATHS[format], bodyOf(format));
    expect(await response.text()).toContain('The budget changed');
    const { ended } = await gateway.ended(calls + 1);
    expect(ended.at(-1)).toMatchObject({ outcome: 'failed', tokens: null });
  });

  it('[GW3] refuses in the provider’s own format, so that clients stop', async () => {
    await gateway.set({ grant: 0 });
    const response = await gateway.post(PATHS[format], bodyOf(format));
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([400, 'false']);
    const message = 'The budget is used up.';
    expect(await response.json()).toEqual(
      format === 'anthropic'
        ? { type: 'error', error: { type: 'invalid_request_error', message } }
        : { error: { type: 'invalid_request_error', code: 'budget', param: null, message } },
    );
  });

  it.each([400, 401, 429, 500, 529] as const)(
    '[GW8] passes the error %s on, and it costs nothing',
    async (status) => {
      play({
        fault: { kind: 'status', status, retryAfterSeconds: 7, message: `no: ${PROVIDER_KEY}` },
      });
      const response = await gateway.post(PATHS[format], bodyOf(format));
      expect([response.status, response.headers.get('retry-after')]).toEqual([status, '7']);
      const text = await response.text();
      expect(text).toContain('no: [redacted]');
      expect(text).not.toContain(PROVIDER_KEY);
      const { ended } = await gateway.ended(calls + 1);
      expect(ended.at(-1)).toMatchObject({
        outcome: 'failed',
        status,
        retryAfterSeconds: 7,
        error: 'no: [redacted]',
        tokens: { input: 0, output: 0 },
      });
    },
  );

  it('[GW1] answers a bad key with nothing but that', async () => {
    const bad = { 'x-api-key': KEY.replace(/.$/, '0') };
    const response = await gateway.post(PATHS[format], bodyOf(format), bad);
    expect(response.status).toBe(401);
    expect(await response.text()).toContain('This key is not valid here.');
    const keyless = await gateway.post(PATHS[format], bodyOf(format), { 'x-api-key': '' });
    expect([keyless.status, await keyless.json()]).toEqual([
      401,
      await (await gateway.post(PATHS[format], bodyOf(format), bad)).json(),
    ]);
  });
});

describe('[GW7] what costs nothing', () => {
  it('is passed on for a good key, without a reservation', async () => {
    const before = (await gateway.ledger()).asks.length;
    const path = '/gateway/anthropic/v1/messages/count_tokens';
    const counted = await gateway.post(path, bodyOf('anthropic'));
    expect(await counted.json()).toHaveProperty('input_tokens');
    const models = await fetch(`${gateway.url}/gateway/v1/models`, { headers: AGENT });
    expect(await models.json()).toHaveProperty('data');
    expect((await gateway.ledger()).asks).toHaveLength(before);
  });

  it('is refused for a bad one', async () => {
    const headers = { ...AGENT, 'x-api-key': KEY.replace(/.$/, '0') };
    const response = await fetch(`${gateway.url}/gateway/openai/v1/models`, { headers });
    expect(response.status).toBe(401);
  });
});

describe('[GW7] what the gateway does not understand', () => {
  it('is passed on with the provider’s answer, reserved by its size and without a price', async () => {
    const body = { model: 'm-1', prompt: 'a cat' };
    const response = await gateway.post('/gateway/openai/v1/images/generations?x=1', body);
    expect(response.status).toBe(404);
    expect(lastRequest()).toMatchObject({
      path: '/v1/images/generations?x=1',
      body: JSON.stringify(body),
    });
    const { asks } = await gateway.ended(calls + 1);
    expect(asks.at(-1)).toMatchObject({ price: null, model: 'm-1' });
    expect(asks.at(-1)?.inputBound).toBeGreaterThan(JSON.stringify(body).length);
  });

  it('is nothing outside of /v1', async () => {
    const response = await gateway.post('/gateway/openai/chat/completions', {});
    expect(response.status).toBe(404);
  });
});

describe("[GW17] what is the owner's own at a provider", () => {
  it.each([
    'POST /v1/realtime/client_secrets',
    'POST /v1/organization/admin_api_keys',
    'POST /v1/%6beys',
    'POST /v1/batches',
    'POST /v1/messages/batches',
    'POST /v1/Vector_Stores/vs_1',
    'POST /v1/%62atches',
    'POST /v1/%2562atches',
    'POST /v1//batches',
    'POST /v1/fine_tuning/jobs/1/cancel',
    'GET /v1/files',
    'GET /v1/files/file_1/content',
    'GET /v1/responses',
    'GET /v1/chat/completions',
    'GET /v1/assistants',
    'GET /v1/anything',
    'DELETE /v1/files/file_1',
    'DELETE /v1/models/m-1',
    'DELETE /v1/responses/resp_1',
    'PUT /v1/messages',
    'PATCH /v1/models/m-1',
  ])('is not reached by %s', async (asked) => {
    const [method = '', path = ''] = asked.split(' ');
    const before = [server.requests.length, (await gateway.ledger()).asks.length];
    for (const dialect of ['openai', 'anthropic']) {
      const response = await fetch(`${gateway.url}/gateway/${dialect}${path}`, {
        method,
        headers: AGENT,
        ...(method === 'GET' ? {} : { body: '{"model":"m-1"}' }),
      });
      expect([response.status, await response.json()]).toMatchObject([404, { error: {} }]);
    }
    expect([server.requests.length, (await gateway.ledger()).asks.length]).toEqual(before);
  });

  it.each([
    'GET /v1/models/m-1',
    'GET /v1/models/maker/m-1',
    'GET /v1/responses/resp_1',
    'GET /v1/responses/resp_1/input_items',
    'POST /v1/responses/resp_1/cancel',
  ])('is not %s: it costs nothing and is passed on', async (asked) => {
    const [method = '', path = ''] = asked.split(' ');
    const before = (await gateway.ledger()).asks.length;
    await fetch(`${gateway.url}/gateway/openai${path}?a=b`, { method, headers: AGENT });
    expect(lastRequest()).toMatchObject({ method, path: `${path}?a=b` });
    expect((await gateway.ledger()).asks).toHaveLength(before);
  });

  it.each(['/v1/files', '/v1/embeddings', '/v1/images/generations', '/v1/conversations'])(
    'is not POST %s: it is passed on with a reservation',
    async (path) => {
      const before = (await gateway.ledger()).asks.length;
      await gateway.post(`/gateway/openai${path}`, { model: 'm-1' });
      expect(lastRequest()).toMatchObject({ method: 'POST', path });
      expect((await gateway.ledger()).asks).toHaveLength(before + 1);
    },
  );
});

describe('[GW13] an encoded body', () => {
  it.each(['/v1/messages', '/v1/anything'])(
    'is refused at %s: its size tells nothing',
    async (path) => {
      const before = server.requests.length;
      const zipped = gzipSync(JSON.stringify(bodyOf('anthropic')));
      const response = await fetch(`${gateway.url}/gateway/anthropic${path}`, {
        method: 'POST',
        headers: { ...AGENT, 'content-encoding': 'gzip' },
        body: zipped,
      });
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining('encoded as gzip'),
      ]);
      expect(server.requests).toHaveLength(before);
    },
  );
});

describe('[GW3] a failure of our own', () => {
  it('is told as the provider would tell it, so that clients try again', async () => {
    await gateway.set({ grant: -1 });
    const response = await gateway.post(PATHS.anthropic, bodyOf('anthropic'));
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { type: 'error', error: { type: 'api_error' } },
    ]);
  });
});

describe('[GW3] a model that nobody answers for', () => {
  it('is refused with the reason, which the ledger is told', async () => {
    const response = await gateway.post(
      PATHS['openai-chat'],
      bodyOf('openai-chat', { model: 'nobody/knows' }),
    );
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('Nobody answers'),
    ]);
    expect((await gateway.ledger()).refused).toHaveLength(1);
  });
});

describe('[GW5] a name of the model that the provider spells otherwise', () => {
  it('is written in its place', async () => {
    await gateway.set({
      upstream: { url: server.url, headers: { 'x-api-key': PROVIDER_KEY }, model: 'own-name' },
    });
    play({ text: 'ok' });
    await (await gateway.post(PATHS.anthropic, bodyOf('anthropic'))).text();
    expect(lastRequest()?.body).toBe(JSON.stringify(bodyOf('anthropic', { model: 'own-name' })));
  });
});
