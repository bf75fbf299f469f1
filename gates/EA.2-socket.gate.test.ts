import { expect, it } from 'vitest';
import { startClaw } from '../e2e/liteclaw-support.ts';

it('from /hatchery to /chat/{id}: the page opens the WebSocket of its chat, and is spoken to', async () => {
  await using claw = await startClaw([]);
  const page = await claw.visit('/hatchery');
  const opened = page.waitForEvent('websocket', (socket) => socket.url().includes('/agents/chat/'));
  await page.getByTestId('spawn-claw').click();
  const socket = await opened;
  await socket.waitForEvent('framereceived');
  const { pathname } = new URL(socket.url());
  expect(`/chat/${pathname.split('/').at(-1)}`).toBe(new URL(page.url()).pathname);
  expect(socket.isClosed()).toBe(false);
});
