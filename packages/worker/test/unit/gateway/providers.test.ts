import { ProviderCreate } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { inForce, KnownProviders } from '../../../src/gateway/providers/known-providers.ts';
import { testProvider } from '../../../src/gateway/providers/provider-test.ts';
import type { StoredProvider } from '../../../src/gateway/providers/provider-table.ts';
import { masked, providerResources } from '../../../src/gateway/providers/resource.ts';
import { seal, unseal } from '../../../src/gateway/providers/sealed.ts';
import { provider } from './provider-fixture.ts';

const SECRET = 'a-secret-of-this-instance-0123456789';
const KEY = 'sk-canary-0123456789-abcd';

describe('[PRO12] a key at rest', () => {
  const row = ['provider', 'owner', 'openai', 'openai', 'https://api.openai.com/v1'];

  it('is read back by who sealed it, and is not in what is stored', async () => {
    const sealed = await seal(SECRET, KEY, row);
    expect(sealed).toMatch(/^v1\.[\w-]{16}\.[\w-]+$/);
    expect(sealed).not.toContain(KEY);
    expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString()).not.toContain('canary');
    expect(await unseal(SECRET, sealed, row)).toBe(KEY);
  });

  it('is never sealed twice alike', async () => {
    expect(await seal(SECRET, KEY, row)).not.toBe(await seal(SECRET, KEY, row));
  });

  it.each([
    ['another row', row.with(2, 'ollama')],
    ['another kind', row.with(3, 'openai-compatible')],
    ['another URL', row.with(4, 'https://evil.test/v1')],
    ['another owner', row.with(1, 'stranger')],
  ])('does not open in %s', async (_, other) => {
    expect(await unseal(SECRET, await seal(SECRET, KEY, row), other)).toBeNull();
  });

  it('does not open under another secret, or when it was changed', async () => {
    const sealed = await seal(SECRET, KEY, row);
    expect(await unseal('another-secret-of-an-instance', sealed, row)).toBeNull();
    const [version, iv = '', data = ''] = sealed.split('.');
    const flipped = `${data.startsWith('A') ? 'B' : 'A'}${data.slice(1)}`;
    for (const changed of [
      `${version}.${iv}.${flipped}`,
      `v2.${iv}.${data}`,
      iv,
      '',
      `${sealed}.x`,
    ])
      expect(await unseal(SECRET, changed, row)).toBeNull();
  });

  it('is not made without a secret', async () => {
    await expect(seal('', KEY, row)).rejects.toThrow('FILEPATH_SECRET');
  });
});

describe('[PRO13] what is asked of a provider’s settings', () => {
  const refusedAt = (body: unknown): string[] =>
    ProviderCreate.safeParse(body).error?.issues.map(({ path }) => path.join('.')) ?? [];

  it.each([
    [{ kind: 'anthropic', key: 'k' }, []],
    [{ kind: 'openai-compatible', id: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1' }, []],
    [{ kind: 'openai-compatible', baseUrl: 'http://x.test' }, ['id']],
    [{ kind: 'openai-compatible', id: 'openai', baseUrl: 'http://x.test' }, ['id']],
    [{ kind: 'openai-compatible', id: 'offline', baseUrl: 'http://x.test' }, ['id']],
    [{ kind: 'openai-compatible', id: 'a/b', baseUrl: 'http://x.test' }, ['id']],
    [{ kind: 'openai-compatible', id: 'x' }, ['baseUrl']],
    [{ kind: 'cloudflare', key: 'k' }, ['baseUrl']],
    [{ kind: 'openai', id: 'mine', key: 'k' }, ['id']],
    [{ kind: 'openai', key: 'k', baseUrl: 'file:///etc/passwd' }, ['baseUrl']],
    [{ kind: 'openai', key: 'k', baseUrl: 'https://user:pw@x.test' }, ['baseUrl']],
    [{ kind: 'openai', key: 'k', baseUrl: 'https://x.test/?a=1' }, ['baseUrl']],
    [{ kind: 'openai', key: 'two words' }, ['key']],
    [{ kind: 'openai', key: 'k\r\nx-evil: 1' }, ['key']],
    [{ kind: 'openai', key: 'k', headers: { Host: 'evil.test' } }, ['headers.Host']],
    [{ kind: 'openai', key: 'k', headers: { 'x-a': 'b\nc' } }, ['headers.x-a']],
    [{ kind: 'openai', key: 'k', extra: 1 }, ['']],
  ])('%j', (body, paths) => {
    expect(refusedAt(body)).toEqual(paths);
  });
});

describe('[PRO14] an answer shows of a key', () => {
  it('its last four characters at most', () => {
    expect(masked(KEY)).toBe('••••abcd');
    expect(masked('short-key')).toBe('••••');
  });

  it('nothing else, nor of headers their values', () => {
    const config = provider('openai', { key: KEY, headers: { 'x-secret': 'value-of-a-header' } });
    const [shown] = providerResources([], [config]);
    expect(shown).toMatchObject({ key: '••••abcd', headers: ['x-secret'] });
    expect(JSON.stringify(shown)).not.toContain('value-of-a-header');
  });
});

describe('[PRO15] settings before the environment', () => {
  const own = provider('openai', { source: 'settings', key: 'own' });
  const environment = [provider('openai'), provider('anthropic')];

  it('are in force, and the answer says which is', () => {
    const stored = [{ config: own, readable: true }];
    expect(inForce(stored, environment).map(({ source, id }) => [source, id])).toEqual([
      ['settings', 'openai'],
      ['environment', 'anthropic'],
    ]);
    expect(
      providerResources(stored, environment).map((one) => [one.source, one.id, one.inForce]),
    ).toEqual([
      ['settings', 'openai', true],
      ['environment', 'openai', false],
      ['environment', 'anthropic', true],
    ]);
  });

  it('also when their key cannot be read: no other key takes its place', () => {
    const stored = [{ config: { ...own, key: null }, readable: false }];
    expect(inForce(stored, environment).map(({ id }) => id)).toEqual(['anthropic']);
    expect(providerResources(stored, environment)[0]?.problem).toContain('Enter it again');
  });
});

describe('[PRO16] providers in memory', () => {
  function setup() {
    const clock = { now: 0 };
    const state = { reads: 0, fails: false, id: 'first' };
    const beside: Promise<void>[] = [];
    const known = new KnownProviders();
    const stored = (id: string): StoredProvider[] => [
      { config: provider('openai-compatible', { id }), readable: true },
    ];
    const ask = async (): Promise<string | undefined> => {
      const found = await known.of('owner', {
        now: () => clock.now,
        later: (work) => beside.push(work),
        read: () => {
          state.reads += 1;
          return state.fails
            ? Promise.reject(new Error('away'))
            : Promise.resolve(stored(state.id));
        },
      });
      return found[0]?.config.id;
    };
    return { clock, state, beside, known, ask };
  }

  it('are read once, and anew beside the calls before five seconds are over', async () => {
    const { clock, state, beside, ask } = setup();
    expect(await ask()).toBe('first');
    expect(await ask()).toBe('first');
    expect(state.reads).toBe(1);
    state.id = 'second';
    clock.now = 3000;
    expect(await Promise.all([ask(), ask()])).toEqual(['first', 'first']);
    expect(beside).toHaveLength(1);
    await Promise.all(beside);
    expect(await ask()).toBe('second');
    expect(state.reads).toBe(2);
  });

  it('are never older than five seconds', async () => {
    const { clock, state, ask } = setup();
    await ask();
    state.id = 'second';
    clock.now = 5000;
    expect(await ask()).toBe('second');
  });

  it('are read anew after a change here', async () => {
    const { state, known, ask } = setup();
    await ask();
    state.id = 'second';
    known.forget('owner');
    expect(await ask()).toBe('second');
  });

  it('are not put back by a reading that began before a change', async () => {
    const { clock, state, beside, known, ask } = setup();
    await ask();
    clock.now = 3000;
    await ask();
    known.forget('owner');
    state.id = 'second';
    await Promise.all(beside);
    expect(await ask()).toBe('second');
  });

  it('stay for a minute when the database is away, and no longer', async () => {
    const { clock, state, ask } = setup();
    await ask();
    state.fails = true;
    clock.now = 30_000;
    expect(await ask()).toBe('first');
    clock.now = 60_000;
    await expect(ask()).rejects.toThrow('away');
  });
});

describe('[PRO17] the test of a provider', () => {
  const answering = (response: Response) => {
    const seen: { url: string; headers: Headers }[] = [];
    const fetcher = ((url: string, init: RequestInit) => {
      seen.push({ url, headers: new Headers(init.headers) });
      return Promise.resolve(response);
    }) as typeof fetch;
    return { seen, fetcher };
  };

  it('asks for what costs nothing, and tells the models it found', async () => {
    const { seen, fetcher } = answering(Response.json({ data: [{ id: 'claude-x' }] }));
    const result = await testProvider(provider('anthropic', { key: KEY }), fetcher);
    expect(result).toEqual({
      ok: true,
      status: 200,
      message: 'Anthropic takes the key.',
      models: ['claude-x'],
    });
    expect(seen[0]?.url).toBe('https://api.anthropic.com/v1/models');
    expect(seen[0]?.headers.get('x-api-key')).toBe(KEY);
  });

  it('asks OpenRouter for the key itself: its models are open to anyone', async () => {
    const { seen, fetcher } = answering(Response.json({ data: {} }));
    expect((await testProvider(provider('openrouter'), fetcher)).ok).toBe(true);
    expect(seen[0]?.url).toBe('https://openrouter.ai/api/v1/key');
  });

  it('says what the provider says, without the key', async () => {
    const error = { error: { message: `Incorrect API key provided: ${KEY}` } };
    const { fetcher } = answering(Response.json(error, { status: 401 }));
    const result = await testProvider(provider('openai', { key: KEY }), fetcher);
    expect(result).toMatchObject({ ok: false, status: 401 });
    expect(result.message).toBe(
      'OpenAI refuses the key (401): Incorrect API key provided: [redacted]',
    );
  });

  it('does not follow a redirect with the key', async () => {
    const { fetcher } = answering(
      new Response(null, { status: 302, headers: { location: 'https://evil.test' } }),
    );
    const result = await testProvider(provider('openai'), fetcher);
    expect(result).toMatchObject({ ok: false, status: 302 });
  });

  it('says when nobody is there', async () => {
    const fetcher = (() => Promise.reject(new TypeError('refused'))) as typeof fetch;
    const result = await testProvider(provider('openai-compatible'), fetcher);
    expect(result).toMatchObject({ ok: false, status: null });
    expect(result.message).toContain('was not reached at http://127.0.0.1:9');
  });
});
