import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../../src/native/html-to-text.ts';
import { listChildrenTool, readChildMessagesTool } from '../../../src/native/tools/children.ts';
import { webFetchTool } from '../../../src/native/tools/web-fetch.ts';
import { listen } from './listen.ts';
import { kit, use } from './tool-kit.ts';

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

describe('children', () => {
  it('[LOOP34] are asked for with the key of the agent', async () => {
    const keys: (string | undefined)[] = [];
    const url = await listen((request, response) => {
      keys.push(request.headers.authorization);
      if (request.url === '/gateway/agent/children') {
        const child = { agentType: 'pi', model: 'm', status: 'done', done: 1, total: 1 };
        response.end(JSON.stringify({ children: [{ id: 'th_1', name: 'tests', ...child }] }));
      } else if (request.url === '/gateway/agent/children/th_1/messages') {
        const messages = [
          { seq: 1, role: 'parent', text: 'Look.' },
          { seq: 4, role: 'agent', text: 'I looked.' },
        ];
        response.end(JSON.stringify({ messages }));
      } else {
        response.writeHead(404).end('{}');
      }
    });
    const made = kit(`${url}/gateway`);
    expect(await use(listChildrenTool(made), {})).toMatchObject({ text: 'th_1 "tests" pi: done' });
    expect((await use(readChildMessagesTool(made), { id: 'th_1' })).text).toBe(
      'parent: Look.\n\nagent: I looked.',
    );
    expect(await use(readChildMessagesTool(made), { id: 'th_2' })).toMatchObject({
      ok: false,
      text: 'There is no such child.',
    });
    expect(keys).toEqual(['Bearer fpk_test', 'Bearer fpk_test', 'Bearer fpk_test']);
  });
});
