import { existsSync, readFileSync } from 'node:fs';
import { Liteclaw, LiteclawTools } from '@filepath/protocol';
import { chatFileRef } from '@filepath/protocol/chat';
import {
  CF_SKY_VERSION,
  Receipt,
  SkyEvent,
  SkyExportHeader,
  SkyMessage,
} from '@filepath/protocol/sky';
import { expect, it } from 'vitest';
import { startClaw } from '../e2e/liteclaw-support.ts';
import { ChatClient, exported, transcript, user } from '../integration/chat-support.ts';

const TYPES = [
  'run.started',
  'model.delta',
  'model.completed',
  'tool.call.started',
  'tool.call.delta',
  'tool.call.completed',
  'tool.result',
  'run.error',
  'run.completed',
];

it('every event of a chat fits its schema, of all nine types; the export says its versions; a blob is a ref', async () => {
  await using claw = await startClaw([]);
  const { id } = await claw.api.json(Liteclaw, 'POST', '/api/liteclaw', { action: 'spawn' });
  const chat = id ?? '';
  await claw.api.json(LiteclawTools, 'PUT', '/api/liteclaw/tools', { policy: 'read-write' });
  const client = new ChatClient(claw.instance, chat);
  claw.server.play({
    script: [
      { tools: [{ name: 'write', input: { path: 'a.txt', text: 'one' } }] },
      { text: 'Written.' },
    ],
  });
  const note = { type: 'file', mediaType: 'text/plain', filename: 'a.txt' };
  const url = `data:text/plain;base64,${Buffer.from('one').toString('base64')}`;
  const said = user('Keep this');
  await client.say([{ ...said, parts: [...said.parts, { ...note, url }] }]);
  claw.server.play({ script: () => ({ fault: { kind: 'status', status: 400, message: 'no' } }) });
  const { error } = await client.say([...(await transcript(claw.api, chat)), user('And?')]);
  expect(error).toMatch(/could not answer/);
  client.close();

  const { header, rows, events, lines, messages } = await exported(claw.api, chat);
  expect([...new Set(events.map(({ type }) => type))].toSorted()).toEqual(TYPES.toSorted());
  for (const { source, body } of rows)
    if (source === 'sky') expect(SkyEvent.parse(body)).toEqual(body);
  for (const message of messages) expect(SkyMessage.parse(message)).toEqual(message);
  for (const { type, body } of lines)
    if (type === 'receipt') expect(Receipt.parse(body)).toEqual(body);
  for (const event of events)
    expect(SkyEvent.safeParse({ ...event, event_id: 'first' }).success).toBe(false);

  expect(SkyExportHeader.parse(header)).toMatchObject({
    liteclaw_session_version: 1,
    cf_sky_version: CF_SKY_VERSION,
    schemas: { message: 1, event: 1, receipt: 1, memory: 1 },
  });
  const ref = chatFileRef(chat, '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed');
  expect(messages[0]?.content).toContainEqual({
    type: 'ref',
    ref,
    media_type: 'text/plain',
    filename: 'a.txt',
  });
});

it('the compatibility document says what exports guarantee', () => {
  const path = new URL('../docs/reference/sky-compatibility.md', import.meta.url);
  expect(existsSync(path)).toBe(true);
  const text = readFileSync(path, 'utf8');
  for (const word of ['liteclaw_session_version', 'cf_sky_version', 'for ever'])
    expect(text).toContain(word);
});
