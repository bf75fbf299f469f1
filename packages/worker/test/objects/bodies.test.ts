import { env } from 'cloudflare:workers';
import { BlobRef, LIMITS, Receipt, type ThreadId } from '@filepath/protocol';
import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { ask, call, logOf, message, newAgent, OWNER } from './support/api.ts';
import { inStorage } from './support/faults.ts';
import { exited, TestLink, text } from './support/runner.ts';

async function linked() {
  const { session, node } = await newAgent();
  await message(node.id);
  const link = await TestLink.open(node.id, 1, 1);
  await link.started();
  return { session, node, link };
}

const sha256Of = ({ ref }: BlobRef): string => ref.slice(-64);

const receiptsOf = (thread: ThreadId): Promise<Receipt[]> =>
  runInDurableObject(env.THREAD.getByName(thread), (_, { storage }) =>
    storage.sql
      .exec<{ body: string }>('SELECT body FROM receipts ORDER BY id')
      .toArray()
      .map(({ body }) => Receipt.parse(JSON.parse(body))),
  );

describe('[LOG9] a body that is too large for a row', () => {
  it('is kept in the blob store and read there', async () => {
    const { node, link } = await linked();
    const large = text('ä'.repeat(LIMITS.inlineBody / 2));
    await link.say(text('before'), large, text('after'));
    const events = await logOf(node.id);
    const ref = BlobRef.parse(events[3]?.body);
    expect([ref.type, ref.bytes]).toEqual([
      'text',
      new TextEncoder().encode(JSON.stringify(large)).length,
    ]);
    expect(events[4]?.body).toEqual(text('after'));
    const path = `/api/thread/${node.id}/blob/${sha256Of(ref)}`;
    expect(await ask(200, 'GET', path)).toEqual(large);
    const other = await newAgent();
    await ask(404, 'GET', `/api/thread/${other.node.id}/blob/${sha256Of(ref)}`);
    await ask(404, 'GET', `/api/thread/${node.id}/blob/${'0'.repeat(64)}`);
  });

  it('[LOG8] ends the step of the tool call that it is about', async () => {
    const { node, link } = await linked();
    const call = { type: 'tool', name: 'read', path: 'a.txt' };
    await link.say({ ...call, status: 'start' });
    await link.say({ ...call, status: 'done', output: 'x'.repeat(LIMITS.inlineBody) });
    const [start, done] = (await logOf(node.id)).slice(2);
    expect(start?.step).not.toBeNull();
    expect(done?.step).toBe(start?.step);
    const [receipt] = await receiptsOf(node.id);
    expect(receipt).toMatchObject({ tool_name: 'read', step_id: start?.step, status: 'completed' });
  });

  it('is deleted with its thread', async () => {
    const { session, node, link } = await linked();
    await link.say(text('x'.repeat(LIMITS.inlineBody)));
    expect((await env.BLOBS.list({ prefix: `${node.id}/` })).objects).toHaveLength(1);
    await ask(204, 'DELETE', `/api/session/${session.id}/node/${node.id}`);
    await expect
      .poll(async () => (await env.BLOBS.list({ prefix: `${node.id}/` })).objects, {
        timeout: 10_000,
      })
      .toHaveLength(0);
  });
});

describe('[LOG13] a deleted thread', () => {
  it('keeps no event, no draft, no secret', async () => {
    const { session, node, link } = await linked();
    const config = { command: ['true'], envVars: { PLACE: 'canary-value' } };
    await ask(200, 'PATCH', `/api/session/${session.id}/node/${node.id}`, { config });
    await link.say(text('canary-text'), { ...text('canary-draft'), id: 'm', partial: true });
    await ask(204, 'DELETE', `/api/session/${session.id}/node/${node.id}`);
    const left = (stub: DurableObjectStub<never>) =>
      runInDurableObject(stub, (_: unknown, { storage }) => {
        const tables = storage.sql
          .exec<{ name: string }>(
            `SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\' AND type = 'table'`,
          )
          .toArray();
        return JSON.stringify(
          tables.map(({ name }) => storage.sql.exec(`SELECT * FROM "${name}"`).toArray()),
        );
      });
    const rows = [
      await left(env.THREAD.getByName(node.id) as never),
      await left(env.SESSION.getByName(session.id) as never),
    ].join();
    expect(rows).not.toMatch(/canary|fpk_/);
  });
});

describe('[LOG13] the storage of a deleted thread', () => {
  it('is given back when nothing is left to tell', async () => {
    const { session, node, link } = await linked();
    await link.say(...Array.from({ length: 2000 }, (_, i) => text(`line ${i}`)));
    const stub = env.THREAD.getByName(node.id);
    const size = () => inStorage(stub, ({ sql }) => sql.databaseSize);
    const before = await size();
    await ask(204, 'DELETE', `/api/session/${session.id}/node/${node.id}`);
    await vi.waitFor(async () => expect(await size()).toBeLessThan(before / 10), {
      timeout: 20_000,
    });
    expect((await call(`/api/thread/${node.id}/events`, { headers: OWNER })).status).toBe(404);
  });

  it('is given back also if its alarm comes while something is being told', async () => {
    const { node } = await linked();
    const stub = env.THREAD.getByName(node.id);
    const free = Promise.withResolvers<void>();
    const held = runInDurableObject(env.RUNNER.getByName('rn_local'), (_, state) =>
      state.blockConcurrencyWhile(() => free.promise),
    );
    await runInDurableObject(stub, async (thread) => {
      const removed = thread.remove();
      await thread.alarm();
      free.resolve();
      await removed;
    });
    await held;
    const tables = () =>
      inStorage(stub, ({ sql }) => sql.exec('SELECT name FROM sqlite_master').toArray());
    await vi.waitFor(async () => expect(await tables()).toEqual([]), { timeout: 20_000 });
  });
});

describe('secrets of this instance', () => {
  it('are in no stored event, blob or observation', async () => {
    const { node, link } = await linked();
    const key = env.ANTHROPIC_API_KEY ?? '';
    expect(key).not.toBe('');
    await message(node.id, `use ${key}`);
    await link.say(
      text(`key ${key}`),
      `not json ${key}`,
      text(`${btoa(key)} ${'x'.repeat(LIMITS.inlineBody)}`),
    );
    link.observe({ ...exited(1, 1), stderr: `failed with ${key} and ${env.FILEPATH_TOKEN}` });
    await link.socket.until('over');
    const log = JSON.stringify(await logOf(node.id));
    expect(log).toContain('[redacted]');
    const [blob] = (await env.BLOBS.list({ prefix: `${node.id}/` })).objects;
    const stored = await env.BLOBS.get(blob?.key ?? '');
    const all = `${log} ${await stored?.text()}`;
    for (const secret of [key, btoa(key).slice(0, -3), env.FILEPATH_TOKEN]) {
      expect(all).not.toContain(secret);
    }
    const page = await call(`/api/thread/${node.id}/events`, { headers: OWNER });
    expect(await page.text()).not.toContain(key);
  });
});
