import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LiveChat } from '../src/chat/index.ts';
import type { WebSocketLike } from '../src/index.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const SAID = { id: 'one', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };

it('[CHT6] a chat whose answer takes its time to stop is cleared, and not shown again', async () => {
  const cleared = Date.now() + 6_000;
  const socket = new EventTarget() as EventTarget & WebSocketLike;
  Object.assign(socket, { send: () => undefined, close: () => undefined });
  const chat = new LiveChat(
    {
      open: () => socket,
      read: async () => Response.json(Date.now() < cleared ? [SAID] : []),
    },
    { onChange: () => undefined },
  );
  chat.start();
  socket.dispatchEvent(new Event('open'));
  const clearing = chat.clear();
  await vi.advanceTimersByTimeAsync(6_500);
  await clearing;
  expect(chat.view().messages).toEqual([]);
  chat.close();
});
