import { env } from 'cloudflare:workers';
import { newThreadId, readLines } from '@filepath/protocol';
import {
  readSkyExport,
  SKY_LINE,
  SkyExportFault,
  toSkyMessage,
  toUiMessage,
  writeSkyExport,
} from '@filepath/protocol/sky';
import { describe, expect, it } from 'vitest';
import { signExport } from '../../src/auth/instance-key.ts';

const thread_id = newThreadId();
const said = {
  id: 'm1',
  role: 'user' as const,
  metadata: { at: 1 },
  parts: [{ type: 'text', text: 'こんにちは' }],
};

async function exported(): Promise<string> {
  const source = {
    thread_id,
    name: 'LiteClaw',
    exported_at: '2026-01-01T00:00:00.000Z',
    messages: [toSkyMessage(said, { thread_id })],
    events: [],
    receipts: [],
    memory: null,
  };
  let text = '';
  for await (const line of writeSkyExport(source, (claim) => signExport(env, claim))) text += line;
  return text;
}

async function read(text: string) {
  const bytes = new Response(text).body;
  if (bytes === null) throw new Error('no body');
  const reading = readSkyExport(readLines(bytes, SKY_LINE));
  const messages = [];
  for (;;) {
    const { done, value } = await reading.next();
    if (done) return { messages, summary: value };
    if (value.type === 'message') messages.push(toUiMessage(value.body, { thread_id }));
  }
}

describe('an export of Sky in the worker', () => {
  it('[SKY6] is written with the key of the instance, and read again from a stream', async () => {
    const { messages, summary } = await read(await exported());
    expect(messages).toEqual([said]);
    expect(summary).toMatchObject({ thread: thread_id, lines: 3, messages: 1 });
    expect(summary.key).toBe((await signExport(env, 'x')).publicKey);
  });

  it('[SKY7] shows what was changed, by its line', async () => {
    const text = await exported();
    for (const changed of [
      text.replace('こ', 'そ'),
      text.replace(/"signature":"./, '"signature":"'),
    ]) {
      expect(changed).not.toBe(text);
      await expect(read(changed)).rejects.toThrow(SkyExportFault);
    }
  });
});
