import type { WebSocket } from 'playwright-core';
import { expect, it } from 'vitest';
import { startClaw } from '../e2e/liteclaw-support.ts';

it('from /hatchery to /chat/{id}: the page opens the WebSocket of its chat, and is spoken to', async () => {
  await using claw = await startClaw([]);
  const page = await claw.visit('/hatchery');
  const spoken = new Promise<WebSocket>((resolve) => {
    page.on('websocket', (socket) => {
      if (!socket.url().includes('/agents/chat/')) return;
      socket.once('framereceived', () => resolve(socket));
    });
  });
  await page.getByTestId('spawn-claw').click();
  const socket = await spoken;
  const id = new URL(socket.url()).pathname.split('/').at(-1);
  await page.waitForURL((url) => url.pathname === `/chat/${id}`);
  expect(socket.isClosed()).toBe(false);
});
