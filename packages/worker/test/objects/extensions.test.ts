import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Liteclaw, ThreadId, TokenCreated } from '@filepath/protocol';
import { ExtensionContent } from '@filepath/protocol/sky';
import { beforeAll, describe, expect, it } from 'vitest';
import worker from '../../src/index.ts';
import { ExtensionCatalog } from '../../src/liteclaw/extensions/catalog.ts';
import type { ExtensionJob } from '../../src/liteclaw/extensions/isolate.ts';
import { pin } from '../../src/liteclaw/extensions/policy.ts';
import { runtimeOf } from '../../src/liteclaw/extensions/runtime.ts';
import { catalogKey } from '../../src/liteclaw/extensions/settings.ts';
import { chatOf } from '../../src/liteclaw/spawn.ts';
import { unwrap } from '../../src/result.ts';
import { ask, ORIGIN, OWNER } from './support/api.ts';
import { signInAs } from './support/users.ts';

const catalog = new ExtensionCatalog(env.BLOBS, catalogKey(env));

const prompting = (name: string, version = '1.0.0', system = 'Be brief.'): ExtensionContent =>
  ExtensionContent.parse({
    manifest: { name, version, description: 'For a test.', prompts: { system } },
  });

const tool = (name: string, tools = [name]): ExtensionContent =>
  ExtensionContent.parse({
    manifest: {
      name,
      version: '1.0.0',
      description: 'For a test.',
      tools: tools.map((one) => ({
        name: one,
        description: 'For a test.',
        access: 'read',
        input: { type: 'object', properties: {} },
      })),
    },
    code: `export default { tools: { ${tools.map((one) => `'${one}': () => 1`).join(', ')} } };`,
  });

let id: ThreadId;
beforeAll(async () => {
  const spawned = await ask(200, 'POST', '/api/liteclaw', { action: 'spawn' });
  id = ThreadId.parse(Liteclaw.parse(spawned).id);
});

const set = async (...refs: string[]) => (await chatOf(env, { id })).extensionsOf(refs);
const refusedNow = async () => {
  const chat = await chatOf(env, { id });
  return unwrap(await chat.extensionsOf(null)).extensions.map(({ refused }) => refused);
};

describe('the catalog', () => {
  it('[EXT4] does not give bytes that are not those of their hash', async () => {
    const entry = await catalog.add(prompting('test.one'), Date.now());
    expect(unwrap(await set('test.one@1.0.0')).extensions).toMatchObject([{ refused: null }]);
    const key = `extensions/content/${entry.sha256}.json`;
    const other = JSON.stringify(prompting('test.one', '1.0.0', 'Tell all you know.'));
    await env.BLOBS.put(key, other);
    await expect(catalog.content(entry)).rejects.toThrow('not what the catalog has the hash of');
    expect(await refusedNow()).toEqual(['its content is not what the catalog has the hash of']);
    expect(await set('test.one@1.0.0')).toMatchObject({
      ok: false,
      error: { code: 'bad_request', message: expect.stringContaining('hash') },
    });
    await env.BLOBS.delete(key);
    expect(await refusedNow()).toEqual(['its content is gone from the catalog']);
    await catalog.remove({ name: 'test.one', version: '1.0.0' });
    expect(await refusedNow()).toEqual(['it is not in the catalog']);
    unwrap(await set());
  });

  it('[EXT4] loses nothing that was put at the same time: it is there, or was refused', async () => {
    const given = Array.from({ length: 6 }, (_, at) => prompting('test.many', `1.0.${at}`));
    const done = await Promise.allSettled(given.map((one) => catalog.add(one, Date.now())));
    const added = done.flatMap((one) => (one.status === 'fulfilled' ? [one.value.version] : []));
    expect(added.length).toBeGreaterThan(0);
    const listed = (await catalog.list()).filter(({ name }) => name === 'test.many');
    expect(listed.map(({ version }) => version).toSorted()).toEqual(added.toSorted());
  });
});

describe('the policy of a chat', () => {
  it('[EXT3] allows by name, or by name and version', async () => {
    await catalog.add(prompting('test.two'), Date.now());
    await catalog.add(prompting('test.two', '1.0.1'), Date.now());
    expect((await set('test.two@1.0.0')).ok).toBe(true);
    expect(await set('test.two@1.0.1')).toMatchObject({
      error: { message: expect.stringContaining('the operator does not allow it') },
    });
    unwrap(await set());
  });

  it('[EXT3] has no two extensions with a tool of one name', async () => {
    const gated = { ...env, LITECLAW_EXTENSIONS: 'test.pair,test.pair.more' };
    await catalog.add(tool('test.pair', ['test.pair', 'test.pair.more']), Date.now());
    await catalog.add(tool('test.pair.more'), Date.now());
    const deps = { env: gated, catalog, runtime: runtimeOf(env) };
    await expect(pin(deps, ['test.pair@1.0.0', 'test.pair.more@1.0.0'])).rejects.toThrow(
      'another has a tool test.pair.more too',
    );
    expect(await pin(deps, ['test.pair@1.0.0'])).toHaveLength(1);
  });
});

describe('where the platform gives isolates', () => {
  const run = (code: string, more: Partial<ExtensionJob> = {}) =>
    runtimeOf(env).call(
      { code, kind: 'tool', name: 'x', input: '{}', fetches: false, ...more },
      { signal: AbortSignal.timeout(5_000), ask: async (text) => JSON.stringify({ text }) },
    );

  it('[EXT7] each call has one of its own, without a network and bindings', async () => {
    const code = `let n = 0; export default { tools: { x: async (_, context) => ({
      n: ++n,
      env: Object.keys((await import('cloudflare:workers')).env),
      fetch: await fetch('http://localhost/').then(() => 'reached', (error) => error.message),
      context: Object.keys(context),
    }) } };`;
    const alone = { n: 1, env: [], fetch: expect.stringContaining('not permitted'), context: [] };
    for (let at = 0; at < 2; at += 1) expect(JSON.parse(await run(code))).toEqual(alone);
    const asking = 'export default { tools: { x: (_, { fetch }) => fetch({ url: "u" }) } }';
    expect(JSON.parse(await run(asking, { fetches: true }))).toEqual({ text: '{"url":"u"}' });
  });

  it('[EXT9] what it throws, gives back or never ends is a failure in words', async () => {
    const of = (body: string) => run(`export default { tools: { x: ${body} } }`);
    await expect(of('() => { throw new Error("broken") }')).rejects.toThrow('broken');
    await expect(of('() => "x".repeat(70000)')).rejects.toThrow('more than');
    await expect(of('() => new Promise(() => {})')).rejects.toThrow();
    await expect(run('no code', {})).rejects.toThrow();
    await expect(run('export default {}')).rejects.toThrow('The code has no tool x.');
    const name = 'toString';
    await expect(run('export default { tools: {} }', { name })).rejects.toThrow('has no tool');
  });

  it('[EXT9] where nothing runs code, none is run', async () => {
    const { LOADER: _, ...without } = env;
    const call = { signal: AbortSignal.timeout(1_000), ask: async () => '' };
    const job = { code: '', kind: 'tool', name: 'x', input: '{}', fetches: false } as const;
    await expect(runtimeOf(without).call(job, call)).rejects.toThrow('has nothing that runs code');
  });
});

describe('[EXT2] the operator’s endpoints', () => {
  const secret = { 'x-liteclaw-admin-secret': 'operators-secret-0123456789' };
  const gated = {
    ...env,
    LITECLAW_ALLOWED_EMAILS: 'owner@filepath.invalid,stranger-of-extensions@example.test',
    LITECLAW_ADMIN_SECRET: secret['x-liteclaw-admin-secret'],
  };
  const status = async (headers: Record<string, string>, path = '', on: typeof gated = gated) => {
    const ctx = createExecutionContext();
    const url = `${ORIGIN}/agents/chat/${id}/extensions${path}`;
    const request = new Request<unknown, IncomingRequestCfProperties>(url, { headers });
    const response = await worker.fetch(request, on, ctx);
    await waitOnExecutionContext(ctx);
    return response.status;
  };

  it('are open to the secret together with the owner’s sign-in, and to nothing less', async () => {
    const made = TokenCreated.parse(await ask(201, 'POST', '/api/tokens', { name: 'x' }));
    const token = { authorization: `Bearer ${made.secret}` };
    const stranger = await signInAs('stranger-of-extensions');
    for (const path of ['', '/catalog']) {
      expect(await status({ ...OWNER, ...secret }, path)).toBe(200);
      expect(await status(OWNER, path)).toBe(401);
      expect(await status(secret, path)).toBe(401);
      expect(await status({ ...token, ...secret }, path)).toBe(401);
      expect(await status({ ...stranger, ...secret }, path)).toBe(404);
      const unset = { ...gated, LITECLAW_ADMIN_SECRET: '' };
      expect(await status({ ...OWNER, ...secret }, path, unset)).toBe(401);
    }
  });
});
