import { createClient, type WebSocketLike } from '@filepath/client';
import { type ChatView, LiveChat } from '@filepath/client/chat';
import type { Instance } from '@filepath/testkit';
import { WebSocket } from 'ws';

export type Followed = {
  readonly chat: LiveChat;
  /** Every view there was. */
  readonly views: ChatView[];
  readonly refused: { text: string; reason: string }[];
  /** Cuts the connection as a network does. While it is held no other is made. */
  readonly cut: () => void;
  readonly hold: (held: boolean) => void;
  readonly until: (test: (view: ChatView) => boolean) => Promise<ChatView>;
};

export const textsOf = ({ messages }: ChatView): string[] =>
  (messages ?? []).map(({ parts }) =>
    parts.map(({ type, text = '' }) => (type === 'text' ? text : '')).join(''),
  );

/** The page's own client of a chat, over connections that a test cuts. */
export function followChat(instance: Instance, id: string): Followed {
  let socket: WebSocket | null = null;
  let held = false;
  const client = createClient({
    baseUrl: instance.url,
    token: instance.token,
    openSocket: (url, headers): WebSocketLike => {
      // Nobody listens on this port.
      socket = held ? new WebSocket('ws://127.0.0.1:9') : new WebSocket(url, { headers });
      socket.on('error', () => undefined);
      return socket as unknown as WebSocketLike;
    },
  });
  const views: ChatView[] = [];
  const refused: Followed['refused'] = [];
  let waiting: { test: (view: ChatView) => boolean; resolve: (view: ChatView) => void }[] = [];
  const chat = new LiveChat(client.liteclaw.chat(id), {
    onChange: () => {
      const view = chat.view();
      views.push(view);
      waiting = waiting.filter(({ test, resolve }) => {
        if (!test(view)) return true;
        resolve(view);
        return false;
      });
    },
    onRefused: (text, reason) => refused.push({ text, reason }),
  });
  chat.start();
  return {
    chat,
    views,
    refused,
    cut: () => socket?.terminate(),
    hold: (now) => {
      held = now;
    },
    until: (test) => {
      const view = chat.view();
      if (test(view)) return Promise.resolve(view);
      return new Promise((resolve) => waiting.push({ test, resolve }));
    },
  };
}
