import { env } from 'cloudflare:workers';
import { Provider, type ProviderCreate } from '@filepath/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { directoryOf } from '../../src/gateway/directory/directory.ts';
import { forgetProviders } from '../../src/gateway/memory.ts';
import { ask, call, logOf, message, newAgent, OWNER } from './support/api.ts';
import { signInAs } from './support/users.ts';

const KEY = 'sk-settings-canary-0123456789-wxyz';
const HEADER = 'header-canary-0123456789';
const background = { waitUntil: () => undefined };
const ollama = {
  kind: 'openai-compatible',
  id: 'ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  key: KEY,
  headers: { 'x-team': HEADER },
  models: ['llama3'],
  free: true,
} satisfies ProviderCreate;

const add = async (body: ProviderCreate): Promise<Provider> =>
  z.object({ provider: Provider }).parse(await ask(201, 'POST', '/api/providers', body)).provider;
const list = async (): Promise<Provider[]> =>
  z.object({ providers: z.array(Provider) }).parse(await ask(200, 'GET', '/api/providers'))
    .providers;
const route = (model: string, format: 'anthropic' | 'openai-chat' = 'openai-chat') =>
  directoryOf(env, background).route(format, '/v1/chat/completions', model);

afterEach(async () => {
  await env.DB.exec('DELETE FROM provider');
  forgetProviders('owner');
});

describe('[PRO12] a provider of the settings', () => {
  it('is in force at once, with its key and headers, until it is removed', async () => {
    await add(ollama);
    expect(await route('ollama/llama3')).toEqual({
      provider: 'ollama',
      url: 'http://127.0.0.1:11434/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, 'x-team': HEADER },
      model: 'llama3',
      price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      maxOutput: null,
    });
    await ask(204, 'DELETE', '/api/providers/ollama');
    expect(await route('ollama/llama3')).toMatchObject({ refused: 'no_provider' });
  });

  it('[PRO14] leaves nothing of its key in an answer or the database', async () => {
    const answers = [await add(ollama), await list(), await ask(200, 'GET', '/api/models')];
    answers.push(await ask(200, 'POST', '/api/providers/ollama/test'));
    const { results } = await env.DB.prepare('SELECT * FROM provider').all();
    const text = JSON.stringify([answers, results]);
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(KEY.slice(0, 12));
    expect(text).not.toContain(HEADER);
    expect(answers[0]).toMatchObject({ key: '••••wxyz', headers: ['x-team'] });
  });

  it('[PRO14] has its key redacted from what an agent is told, and says', async () => {
    await add(ollama);
    const { node } = await newAgent();
    await message(node.id, `use ${KEY} and ${HEADER}`);
    const text = JSON.stringify(await logOf(node.id));
    expect(text).toContain('[redacted]');
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(HEADER);
  });

  it('cannot be used with the sealed key of another row', async () => {
    await add(ollama);
    await add({
      ...ollama,
      id: 'other',
      baseUrl: 'https://evil.test/v1',
      key: 'sk-other-0123456789',
    });
    await env.DB.exec(
      "UPDATE provider SET sealed = (SELECT sealed FROM provider WHERE id = 'ollama') WHERE id = 'other'",
    );
    forgetProviders('owner');
    expect(await route('other/llama3')).toMatchObject({ refused: 'no_provider' });
    expect((await list()).find(({ id }) => id === 'other')).toMatchObject({
      inForce: false,
      key: null,
      problem: expect.stringContaining('Enter it again'),
    });
  });

  it('whose URL was changed in the database keeps its key to itself', async () => {
    await add(ollama);
    await env.DB.exec("UPDATE provider SET base_url = 'https://evil.test/v1'");
    forgetProviders('owner');
    expect(await route('ollama/llama3')).toMatchObject({ refused: 'no_provider' });
  });
});

describe('[PRO18] a provider that is replaced', () => {
  it('keeps its key and headers where none are given', async () => {
    await add(ollama);
    const { key: _key, headers: _headers, ...rest } = ollama;
    await add({ ...rest, name: 'Mine' });
    expect(await route('ollama/llama3')).toMatchObject({
      headers: { authorization: `Bearer ${KEY}`, 'x-team': HEADER },
    });
  });

  it('does not take its key to another URL', async () => {
    await add(ollama);
    const { key: _key, headers: _headers, ...rest } = ollama;
    await add({ ...rest, baseUrl: 'https://evil.test/v1' });
    expect(await route('ollama/llama3')).toMatchObject({ headers: {} });
  });

  it('of a kind that needs a key is refused without one', async () => {
    const body = { kind: 'openai' };
    const response = await call('/api/providers', { method: 'POST', headers: OWNER, body });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('OpenAI needs a key');
  });
});

describe('[PRO15] the environment', () => {
  it('is listed, and gives way to settings of the same id', async () => {
    expect(await list()).toMatchObject([
      { id: 'anthropic', source: 'environment', inForce: true, key: '••••6789' },
    ]);
    await add({ kind: 'anthropic', key: KEY });
    expect(await list()).toMatchObject([
      { id: 'anthropic', source: 'settings', inForce: true, key: '••••wxyz' },
      { id: 'anthropic', source: 'environment', inForce: false },
    ]);
    expect(await route('claude-opus-4-8', 'anthropic')).toMatchObject({
      headers: { 'x-api-key': KEY },
    });
  });

  it('cannot be removed here', async () => {
    const response = await call('/api/providers/anthropic', { method: 'DELETE', headers: OWNER });
    expect(response.status).toBe(409);
  });

  it('is nothing of another user’s', async () => {
    await add(ollama);
    const headers = await signInAs('someone');
    const providers = await (await call('/api/providers', { headers })).json();
    expect(providers).toEqual({ providers: [] });
    const models = await (await call('/api/models', { headers })).json();
    expect(models).toMatchObject({ configured: false, defaultModel: 'offline/demo' });
  });
});

it('holds at most 32 providers', async () => {
  for (let n = 0; n < 32; n += 1) await add({ ...ollama, id: `p${n}` });
  const body = { ...ollama, id: 'one-more' };
  const response = await call('/api/providers', { method: 'POST', headers: OWNER, body });
  expect(response.status).toBe(409);
  await add({ ...ollama, id: 'p0', name: 'again' });
});
