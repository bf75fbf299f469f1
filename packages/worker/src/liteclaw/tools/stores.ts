import { refusal, TOOL_ARGS, TOOL_LIMITS } from '@filepath/protocol/sky';
import type { Stored } from './stored.ts';
import type { ClawTool } from './tool.ts';

type Deps = {
  readonly chat: string;
  readonly blobs: R2Bucket;
  readonly values: KVNamespace;
  readonly stored: Stored;
};

const LISTED = 100;
const encoder = new TextEncoder();

/** Keys of a chat lie below its own id, in the buckets of the instance. No key leads out of there. */
const blobPrefix = (chat: string): string => `chats/${chat}/files/`;
const valuePrefix = (chat: string): string => `chat:${chat}:`;

export function storeTools({ chat, blobs, values, stored }: Deps): ClawTool[] {
  return [
    {
      name: 'r2.put',
      description: 'Keep a text under a key, for this chat, until it is replaced.',
      access: 'write',
      async run(given) {
        const { key, text } = TOOL_ARGS['r2.put'].parse(given);
        const bytes = encoder.encode(text);
        const full = stored.put('r2', key, bytes.length);
        if (full !== null) return refusal('store_full', full);
        await blobs.put(blobPrefix(chat) + key, bytes);
        return { ok: true, output: { key, bytes: bytes.length } };
      },
    },
    {
      name: 'r2.get',
      description: 'Read a text that r2.put kept.',
      access: 'read',
      async run(given) {
        const { key, offset = 0 } = TOOL_ARGS['r2.get'].parse(given);
        const found = await blobs.get(blobPrefix(chat) + key);
        if (found === null) return refusal('not_found', `Nothing is kept under ${key}.`);
        const text = await found.text();
        const shown = text.slice(offset, offset + TOOL_LIMITS.result);
        const more = Math.max(0, text.length - offset - shown.length);
        return { ok: true, output: { key, text: shown, offset, more } };
      },
    },
    {
      name: 'r2.list',
      description: 'List the keys that r2.put kept.',
      access: 'read',
      async run(given) {
        const { prefix = '' } = TOOL_ARGS['r2.list'].parse(given);
        const base = blobPrefix(chat);
        const page = await blobs.list({ prefix: base + prefix, limit: LISTED });
        const keys = page.objects.map(({ key, size }) => ({
          key: key.slice(base.length),
          bytes: size,
        }));
        return { ok: true, output: { keys, more: page.truncated } };
      },
    },
    {
      name: 'kv.put',
      description: 'Remember a small value under a key, for this chat.',
      access: 'write',
      async run(given) {
        const { key, value } = TOOL_ARGS['kv.put'].parse(given);
        const bytes = encoder.encode(value).length;
        const name = valuePrefix(chat) + key;
        if (encoder.encode(name).length > TOOL_LIMITS.key)
          return refusal('bad_args', 'The key is too long.');
        const full = stored.put('kv', key, bytes);
        if (full !== null) return refusal('store_full', full);
        await values.put(name, value);
        return { ok: true, output: { key, bytes } };
      },
    },
    {
      name: 'kv.get',
      description: 'Read a value that kv.put remembered. A new value may take a minute to be seen.',
      access: 'read',
      async run(given) {
        const { key } = TOOL_ARGS['kv.get'].parse(given);
        const value = await values.get(valuePrefix(chat) + key);
        if (value === null) return refusal('not_found', `Nothing is kept under ${key}.`);
        return { ok: true, output: { key, value: value.slice(0, TOOL_LIMITS.result) } };
      },
    },
  ];
}
