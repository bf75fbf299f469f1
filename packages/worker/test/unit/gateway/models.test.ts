import { CATALOG } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { BUILT_IN } from '../../../src/gateway/models/built-in.ts';
import { FRESH_MS, ModelCache } from '../../../src/gateway/models/model-cache.ts';
import { defaultModel, modelGroups } from '../../../src/gateway/models/model-groups.ts';
import { parseOpenRouter } from '../../../src/gateway/models/openrouter-list.ts';
import { provider, TODAY } from './provider-fixture.ts';

const URL_ = 'https://openrouter.test/api/v1/models';

const entry = (id: string, more: object = {}) => ({
  id,
  name: 'Maker: A model',
  context_length: 200_000,
  top_provider: { max_completion_tokens: 64_000 },
  pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
  ...more,
});

describe('[PRO8] OpenRouter’s list', () => {
  it('is read with prices for a million tokens', () => {
    expect(parseOpenRouter({ data: [entry('maker/model')] })).toEqual([
      {
        id: 'maker/model',
        name: 'A model',
        contextLength: 200_000,
        maxOutput: 64_000,
        price: { input: 3, output: 15, cacheRead: 0.3 },
      },
    ]);
  });

  it('keeps a model whose price or size it does not understand, without them', () => {
    const models = parseOpenRouter({
      data: [
        entry('a/b', { pricing: { prompt: '-1', completion: '-1' } }),
        entry('c/d', { pricing: 'free', context_length: 'many', top_provider: null }),
        entry('with space'),
        { name: 'nothing' },
        17,
      ],
    });
    expect(models?.map(({ id, price, contextLength }) => [id, price, contextLength])).toEqual([
      ['a/b', null, 200_000],
      ['c/d', null, null],
    ]);
  });

  it('knows no price where each request has one, and the dearer of two for what is thought', () => {
    const price = (more: object) =>
      parseOpenRouter({
        data: [entry('a/b', { pricing: { prompt: '0.000001', completion: '0.000002', ...more } })],
      })?.[0]?.price;
    expect(price({ request: '0.005' })).toBeNull();
    expect(price({ request: '0' })).toEqual({ input: 1, output: 2 });
    expect(price({ internal_reasoning: '0.000003' })).toEqual({ input: 1, output: 3 });
  });

  it('is none when it holds no model', () => {
    for (const body of [null, {}, { data: [] }, { data: 'x' }, [entry('a/b')]])
      expect(parseOpenRouter(body)).toBeNull();
  });

  it('has at most 2,000 models', () => {
    const data = Array.from({ length: 2500 }, (_, index) => entry(`m/${index}`));
    expect(parseOpenRouter({ data })).toHaveLength(2000);
  });
});

/** A cache with a clock, a store and a source of its own. */
function cacheOf(answer: () => Response | Promise<Response>) {
  const kept = new Map<string, string>();
  const clock = { now: 1_000_000 };
  const asked: string[] = [];
  const parts = {
    store: {
      get: (key: string) => Promise.resolve(kept.get(key) ?? null),
      put: (key: string, value: string) => {
        kept.set(key, value);
        return Promise.resolve();
      },
    },
    fetch: ((input: string) => {
      asked.push(input);
      return Promise.resolve().then(answer);
    }) as typeof fetch,
    now: () => clock.now,
  };
  return { cache: new ModelCache(parts), another: () => new ModelCache(parts), clock, asked };
}

const answerWith = (id: string) => () => Response.json({ data: [entry(id)] });

describe('[PRO9] the list of models', () => {
  it('is the built-in one at first, and the source’s after it answered', async () => {
    const { cache, asked } = cacheOf(answerWith('a/b'));
    const first = await cache.current(URL_);
    expect(first.list).toMatchObject({ source: 'built-in', at: null });
    await first.later?.();
    const second = await cache.current(URL_);
    expect([...second.list.models.keys()]).toEqual(['a/b']);
    expect(second).toMatchObject({ later: null, list: { source: 'openrouter' } });
    expect(asked).toEqual([URL_]);
  });

  it('is kept for those that start later', async () => {
    const { cache, another, asked } = cacheOf(answerWith('a/b'));
    await (await cache.current(URL_)).later?.();
    const { list, later } = await another().current(URL_);
    expect([...list.models.keys()]).toEqual(['a/b']);
    expect(later).toBeNull();
    expect(asked).toHaveLength(1);
  });

  it('is read by the next that can wait, when one that asked did not', async () => {
    const { cache, asked } = cacheOf(answerWith('a/b'));
    await cache.current(URL_);
    await (await cache.current(URL_)).later?.();
    expect(asked).toHaveLength(1);
  });

  it('of another address is not taken for this one’s', async () => {
    const { cache } = cacheOf(answerWith('a/b'));
    await (await cache.current(URL_)).later?.();
    expect((await cache.current('https://other.test/models')).list.source).toBe('built-in');
  });

  it('is read anew after an hour, once, and served meanwhile', async () => {
    const { cache, clock, asked } = cacheOf(answerWith('a/b'));
    await (await cache.current(URL_)).later?.();
    clock.now += FRESH_MS;
    const due = await cache.current(URL_);
    const another = await cache.current(URL_);
    const reading = due.later?.();
    const beside = await cache.current(URL_);
    expect(beside).toMatchObject({ later: null, list: { source: 'openrouter' } });
    await Promise.all([reading, another.later?.()]);
    expect(asked).toHaveLength(2);
    expect((await cache.current(URL_)).later).toBeNull();
  });

  it.each([
    ['an error', () => new Response('no', { status: 503 })],
    ['no connection', () => Promise.reject(new TypeError('refused'))],
    ['something else', () => new Response('<html>')],
    ['a list without models', () => Response.json({ data: [] })],
    ['more than 10 MB', () => new Response('x'.repeat(11 * 1024 * 1024))],
  ])('is served stale when its source answers with %s', async (_, failure) => {
    const answers = [answerWith('a/b'), failure];
    const { cache, clock, asked } = cacheOf(() => (answers.shift() ?? failure)());
    await (await cache.current(URL_)).later?.();
    clock.now += FRESH_MS + 1000;
    await (await cache.current(URL_)).later?.();
    const { list, later } = await cache.current(URL_);
    expect([...list.models.keys()]).toEqual(['a/b']);
    expect(cache.isStale(list)).toBe(true);
    // The source is left alone for a minute.
    expect(later).toBeNull();
    clock.now += 60_000;
    expect((await cache.current(URL_)).later).not.toBeNull();
    expect(asked).toHaveLength(2);
  });
});

describe('[PRO10] models by maker', () => {
  const routing = { today: TODAY, models: BUILT_IN };

  it('begin with the built-in model; then come those that can answer', () => {
    const groups = modelGroups({ ...routing, providers: [provider('openai')] });
    expect(groups.map(({ provider: id }) => id)).toEqual([
      'offline',
      'openai',
      'anthropic',
      'qwen',
    ]);
    const available = groups.flatMap((group) => group.models).filter((model) => model.available);
    expect(available.every(({ id }) => /^(offline|openai)\//.test(id))).toBe(true);
  });

  it('have those that the owner named of a provider, at its price', () => {
    const ollama = provider('openai-compatible', {
      id: 'ollama',
      name: 'Ollama',
      models: ['llama3', 'qwen*'],
      free: true,
    });
    const groups = modelGroups({ ...routing, providers: [ollama] });
    expect(groups[1]).toMatchObject({
      provider: 'ollama',
      name: 'Ollama',
      models: [{ id: 'ollama/llama3', price: { input: 0, output: 0 }, available: true }],
    });
  });
});

describe('[PRO11] an agent that names no model gets', () => {
  const of = (type: string, ...providers: ReturnType<typeof provider>[]) =>
    defaultModel(
      { today: TODAY, models: BUILT_IN, providers },
      CATALOG.find((one) => one.type === type),
    );

  it('offline/demo when nothing is configured', () => {
    expect(of('shelley')).toBe('offline/demo');
    expect(of('codex')).toBe('offline/demo');
  });

  it('its type’s own where that can be had, under the name that answers', () => {
    expect(of('shelley', provider('anthropic'))).toBe('anthropic/claude-sonnet-4.6');
    expect(of('codex', provider('openrouter'))).toBe('openai/o3');
    expect(of('qwen', provider('openrouter'))).toBe('qwen/qwen3-coder');
  });

  it('another that can be had, where its own cannot', () => {
    expect(of('shelley', provider('openai'))).toBe('openai/o3');
    const ollama = provider('openai-compatible', { id: 'ollama', models: ['llama3'] });
    expect(of('shelley', ollama)).toBe('ollama/llama3');
  });

  it('its program’s own, when its traffic does not pass the gateway', () => {
    expect(of('amp')).toBe('claude-sonnet-4');
    expect(of('gemini', provider('anthropic'))).toBe('');
  });
});
