import { env } from 'cloudflare:workers';
import { Liteclaw, newThreadId } from '@filepath/protocol';
import { writeSkyExport } from '@filepath/protocol/sky';
import { expect, it } from 'vitest';
import { signExport } from '../../src/auth/instance-key.ts';
import { OWNER_ID } from '../../src/auth/sign-in-link.ts';
import { importChat } from '../../src/liteclaw/import-chat.ts';
import { ask, call, OWNER } from './support/api.ts';
import { TestSocket } from './support/socket.ts';

it('[CLAW25] [TUN1] an import leaves no way to the chat that was there before', async () => {
  const before = Liteclaw.parse(await ask(200, 'POST', '/api/liteclaw', { action: 'spawn' }));
  const socket = await TestSocket.open(`/agents/chat/${before.id}`, OWNER);
  await ask(201, 'POST', '/api/liteclaw/tunnels', { name: 'laptop' });
  const tunnels = env.ChatTunnels.getByName(before.id ?? '');
  expect(await tunnels.list()).toHaveLength(1);

  const id = newThreadId();
  const empty = { messages: [], events: [], receipts: [], memory: null };
  const about = { thread_id: id, name: 'LiteClaw', exported_at: new Date().toISOString() };
  let body = '';
  for await (const line of writeSkyExport({ ...about, ...empty }, (claim) =>
    signExport(env, claim),
  ))
    body += line;
  const imported = await importChat(env, OWNER_ID, id, new Response(body).body);
  expect(imported).toMatchObject({ id, messages: 0 });

  expect(await socket.closed).toMatchObject({ code: 1008 });
  expect(await tunnels.list()).toEqual([]);
  expect((await call(`/agents/chat/${before.id}/get-messages`, { headers: OWNER })).status).toBe(
    404,
  );
});
