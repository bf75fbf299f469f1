import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { htmlToText } from '../../../src/native/html-to-text.ts';
import { webFetchTool } from '../../../src/native/tools/web-fetch.ts';
import { use } from './tool-kit.ts';

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('web_fetch', () => {
  it('[LOOP33] gives a page as readable text, in parts', async () => {
    const url = await listen((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        '<html><head><title>x</title></head><body><script>bad("<p>")</script><h1>On&nbsp;tea</h1>' +
          '<p>Water &amp; leaves.<!-- no --><ul><li>green<li>black</ul></body></html>',
      );
    });
    const { text } = await use(webFetchTool(), { url });
    expect(text).toBe('# On tea\n\nWater & leaves.\n\n- green\n- black');
    const part = await use(webFetchTool(), { url, offset: 2, limit: 6 });
    expect(part.text).toMatch(/^On tea\n\[\d+ more characters; go on at offset 8\]$/);
  });

  it('[LOOP33] refuses what is no text and no web address, and reads no more than its bound', async () => {
    const url = await listen((request, response) => {
      const image = request.url === '/image';
      response.setHeader('content-type', image ? 'image/png' : 'text/plain');
      response.end('z'.repeat(5_000_000));
    });
    expect((await use(webFetchTool(), { url: `${url}/image` })).text).toContain('no text');
    expect((await use(webFetchTool(), { url: 'file:///etc/passwd' })).ok).toBe(false);
    expect((await use(webFetchTool(), { url })).text).toContain('longer than 2097152 bytes');
  });

  it('[LOOP33] says what the server answered when that was an error', async () => {
    const url = await listen((_, response) => {
      response.writeHead(403, { 'content-type': 'text/plain' });
      response.end('this agent may not reach example.com: add it to its list');
    });
    expect(await use(webFetchTool(), { url })).toMatchObject({
      ok: false,
      text: expect.stringMatching(/answered 403\. this agent may not reach/) as string,
    });
  });

  it('[LOOP33] a page that is made to be slow to read is read in no time', () => {
    const started = performance.now();
    htmlToText('<script '.repeat(200_000));
    htmlToText('<p '.repeat(300_000));
    htmlToText(`${'<!--'.repeat(300_000)}`);
    htmlToText(`${' '.repeat(1_000_000)}x`);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
