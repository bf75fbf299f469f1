import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { Liteclaw } from '@filepath/protocol';
import { CHAT_FILE_LIMITS, ChatFile, chatFilePrefix } from '@filepath/protocol/chat';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { ChatFiles } from '../../src/liteclaw/files/chat-files.ts';
import { durableSql } from '../../src/storage/durable-sql.ts';
import { ask, call, ORIGIN, OWNER } from './support/api.ts';
import { signInAs } from './support/users.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

let id: string;
const path = (): string => `/agents/chat/${id}/file`;

beforeEach(async () => {
  await ask(200, 'POST', '/api/liteclaw', { action: 'spawn' });
  const claw = Liteclaw.parse(await ask(200, 'POST', '/api/liteclaw', { action: 'reset' }));
  id = claw.id ?? '';
});

/** Sends bytes as they are. */
const upload = (body: BodyInit, headers: Record<string, string>): Promise<Response> =>
  exports.default.fetch(new Request(ORIGIN + path(), { method: 'POST', headers, body }));

const get = (sha256: string, headers: Record<string, string> = OWNER): Promise<Response> =>
  call(`${path()}/${sha256}`, { headers });

async function keep(body: BodyInit, type = 'image/png', status = 201) {
  const response = await upload(body, { ...OWNER, 'content-type': type });
  expect(response.status).toBe(status);
  const answer = await response.json();
  return status === 201 ? z.object({ file: ChatFile }).parse(answer).file : answer;
}

const kept = async (body: BodyInit, type?: string) => ChatFile.parse(await keep(body, type));

const blobs = async (): Promise<string[]> =>
  (await env.BLOBS.list({ prefix: chatFilePrefix(id) })).objects.map(({ key }) => key);

/** The files of the chat, at another time. */
const at = <T>(now: number, work: (files: ChatFiles) => Promise<T>): Promise<T> =>
  runInDurableObject(env.Chat.getByName(id), (_, { storage }) =>
    work(new ChatFiles({ sql: durableSql(storage), blobs: env.BLOBS, chat: id, now: () => now })),
  );

/** A file whose bytes are there, and before the chat hears of that something happens: it is refused for that reason. */
async function comes(text: string, happens: (files: ChatFiles) => void, why: string) {
  await runInDurableObject(env.Chat.getByName(id), async (_, { storage }) => {
    const blobs = new Proxy(env.BLOBS, {
      get: (bucket, name) =>
        name === 'put'
          ? async (...given: Parameters<R2Bucket['put']>) => {
              const put = await bucket.put(...given);
              happens(files);
              return put;
            }
          : Reflect.get(bucket, name).bind(bucket),
    });
    const files: ChatFiles = new ChatFiles({
      sql: durableSql(storage),
      blobs,
      chat: id,
      now: Date.now,
    });
    const bytes = Buffer.from(text);
    const file = { sha256: files.hash(bytes), bytes, type: 'text/plain' };
    await expect(files.keep(file, false)).rejects.toThrow(why);
  });
}

it('[CFILE4] an image is shown and anything else is a download that runs nothing', async () => {
  const image = await kept(PNG, 'text/html');
  const shown = await get(`${image.sha256}?name=a%22b.png`);
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(PNG);
  expect(shown.headers.get('content-type')).toBe('image/png');
  expect(shown.headers.get('content-disposition')).toBe("inline; filename*=UTF-8''a%22b.png");
  for (const [body, type] of [
    [SVG, 'image/svg+xml'],
    ['<html><script>alert(1)</script>', 'text/html'],
    ['<html>', 'image/png'],
  ] as const) {
    const file = await kept(body, type);
    const response = await get(file.sha256);
    expect(await response.text()).toBe(body);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
  }
});

it('[CFILE4] nobody else finds a file of a chat, nor by its hash in a chat of theirs', async () => {
  const { sha256 } = await kept(PNG);
  const other = await signInAs('other');
  expect((await get(sha256, other)).status).toBe(404);
  expect((await upload(PNG, other)).status).toBe(404);
  const body = { action: 'spawn' };
  const spawned = await call('/api/liteclaw', { method: 'POST', headers: other, body });
  const theirs = Liteclaw.parse(await spawned.json()).id ?? '';
  expect(theirs).not.toBe(id);
  const elsewhere = await call(`/agents/chat/${theirs}/file/${sha256}`, { headers: other });
  expect(elsewhere.status).toBe(404);
});

it('[CFILE1] what is empty or too large is refused with a reason, and kept nowhere', async () => {
  expect(await keep('', 'text/plain', 400)).toMatchObject({
    error: { message: 'The file is empty.' },
  });
  const image = Buffer.concat([PNG, Buffer.alloc(CHAT_FILE_LIMITS.image)]);
  await keep(image, 'image/png', 400);
  await keep(Buffer.alloc(CHAT_FILE_LIMITS.bytes + 1), 'a/b', 413);
  expect(await blobs()).toEqual([]);
});

it('[CFILE2] the same file is kept once, below the chat’s prefix, with its hash', async () => {
  const [one, two] = [await kept(PNG), await kept(PNG)];
  expect(two).toEqual(one);
  expect(await blobs()).toEqual([chatFilePrefix(id) + one.sha256]);
  expect(one.ref).toBe(
    `r2://filepath-blobs/${chatFilePrefix(id)}${one.sha256}#sha256=${one.sha256}`,
  );
});

it('[CFILE6] a reset deletes the files, and a file that comes meanwhile is there or is not', async () => {
  const { sha256 } = await kept('one', 'text/plain');
  await kept('two', 'text/plain');
  await ask(200, 'POST', '/api/liteclaw', { action: 'reset' });
  expect(await blobs()).toEqual([]);
  const [again] = await Promise.all([
    upload('one', { ...OWNER, 'content-type': 'text/plain' }),
    ask(200, 'POST', '/api/liteclaw', { action: 'reset' }),
  ]);
  await again.arrayBuffer();
  expect([201, 409]).toContain(again.status);
  const found = await get(sha256);
  await found.arrayBuffer();
  expect(await blobs()).toHaveLength(found.status === 200 ? 1 : 0);
  if (again.status === 409) expect(found.status).toBe(404);
});

it('[CFILE6] a file that is forgotten while it comes is refused with what to do, and deleted', async () => {
  await comes('late', (files) => files.forget(), 'The chat was reset. Send the file again.');
  expect(await blobs()).toHaveLength(1);
  await at(Date.now(), (files) => files.clean());
  expect(await blobs()).toEqual([]);
});

it('[CFILE6] what was forgotten before a kill is deleted after it', async () => {
  await kept('one', 'text/plain');
  await at(Date.now(), async (files) => files.forget());
  expect(await blobs()).toHaveLength(1);
  await evictDurableObject(env.Chat.getByName(id));
  await ask(200, 'GET', `/agents/chat/${id}/get-messages`);
  await expect.poll(() => blobs()).toEqual([]);
});

it('[CFILE6] what no message names is deleted after a day, and what one names is not', async () => {
  const [named, left] = [await kept('named', 'text/plain'), await kept('left', 'text/plain')];
  await at(Date.now(), async (files) => files.use([named.sha256]));
  const due = await runInDurableObject(env.Chat.getByName(id), async (chat) => {
    const [one] = (await chat.listSchedules()).filter(({ callback }) => callback === 'cleanFiles');
    return one?.time ?? 0;
  });
  expect(Math.abs(due * 1000 - Date.now() - CHAT_FILE_LIMITS.waits)).toBeLessThan(60_000);
  await at(Date.now() + CHAT_FILE_LIMITS.waits - 60_000, (files) => files.clean());
  expect(await blobs()).toHaveLength(2);
  await at(Date.now() + CHAT_FILE_LIMITS.waits + 1, (files) => files.clean());
  expect(await blobs()).toEqual([chatFilePrefix(id) + named.sha256]);
  expect((await get(left.sha256)).status).toBe(404);
});

it('[CFILE6] a file is known before its bytes are there, so that none are left behind', async () => {
  const killed = (): never => {
    throw new Error('killed');
  };
  await comes('torn', killed, 'killed');
  expect(await blobs()).toHaveLength(1);
  await at(Date.now() + CHAT_FILE_LIMITS.waits + 1, (files) => files.clean());
  expect(await blobs()).toEqual([]);
});

it('[CFILE5] bytes that are not what they were are not read', async () => {
  const { sha256, bytes, type } = await kept('as it was', 'text/plain');
  await env.BLOBS.put(chatFilePrefix(id) + sha256, 'another');
  expect(await at(Date.now(), (files) => files.read({ sha256, bytes, type }, 100))).toBeNull();
});
