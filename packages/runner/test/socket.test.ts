import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { Socket } from '../src/link/socket.ts';

let server: WebSocketServer;
let socket: Socket;
const heard: string[] = [];
let downs = 0;

beforeEach(async () => {
  heard.length = 0;
  downs = 0;
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  });
  socket = new Socket({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    token: 'secret',
    reconnectMs: 10,
    log: () => undefined,
    onOpen: () => undefined,
    onMessage: (text) => heard.push(text),
    onDown: () => {
      downs += 1;
    },
  });
});
afterEach(() => {
  socket.close();
  for (const one of server.clients) one.terminate();
  server.close();
  vi.useRealTimers();
});

/** Time stands still: what comes over the network is waited for. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

async function connection(): Promise<WebSocket> {
  const [client] = (await once(server, 'connection')) as [WebSocket];
  return client;
}

const said = async (client: WebSocket): Promise<string> => {
  const [data] = (await once(client, 'message')) as [Buffer];
  return data.toString();
};

it('[LINK10] a silent link asks whether somebody is there, and stays when it is answered', async () => {
  socket.dial();
  const client = await connection();
  client.send('{"t":"welcome"}');
  await until(() => heard.length === 1);
  for (let n = 2; n < 8; n += 1) {
    const asked = said(client);
    vi.advanceTimersByTime(15_000);
    expect(await asked).toBe('{"t":"here"}');
    client.send('{"t":"here"}');
    await until(() => heard.length === n);
  }
  expect(server.clients.size).toBe(1);
});

it('[LINK10] a link that leads to nobody is dialled again', async () => {
  socket.dial();
  const client = await connection();
  client.send('{"t":"welcome"}');
  await until(() => heard.length === 1);
  const closed = once(client, 'close');
  vi.advanceTimersByTime(60_000);
  await closed;
  const again = connection();
  await until(() => downs === 1);
  vi.advanceTimersByTime(10_000);
  await again;
});
