import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { isEnd, place, serve, startAgent } from './native-agent.ts';

it('[LOOP33] web_fetch goes by the proxy, and says what its policy denies; the gateway is asked without it', async () => {
  const asked: string[] = [];
  const page = createServer((_, response) => {
    response.setHeader('content-type', 'text/plain');
    response.end('by way of the proxy');
  });
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    asked.push(String(request.url));
    if (request.url !== 'example.com:80') {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    page.emit('connection', socket);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  proxy.listen(0, '127.0.0.1', resolve);
  await promise;
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const server = await serve({
    script: [
      {
        tools: [
          { name: 'web_fetch', input: { url: 'http://example.com/page' } },
          { name: 'web_fetch', input: { url: 'https://example.org/' } },
        ],
      },
      { text: 'I could read one of them.' },
    ],
  });
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const agent = startAgent(server, place(), {
    type: 'pi',
    env: {
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      NO_PROXY: '127.0.0.1,localhost',
      NODE_USE_ENV_PROXY: '1',
    },
  });
  agent.say('Read both.');
  expect(await agent.heard(isEnd)).toMatchObject({ type: 'done' });
  const texts = (server.calls[1]?.request.results ?? []).map(({ text }) => text).toSorted();
  expect(texts[0]).toContain('network policy of this agent does not allow example.org');
  expect(texts[1]).toBe('by way of the proxy');
  expect(asked.toSorted()).toEqual(['example.com:80', 'example.org:443']);
});
