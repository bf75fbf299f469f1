import { text } from 'node:stream/consumers';
import { type Memory, newMemoryId, newSessionId, newThreadId } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { memoryTools } from '../../src/tree/memory-tools.ts';
import { listen } from '../native/tools/listen.ts';
import { use } from '../native/tools/tool-kit.ts';

const at = '2026-03-01T10:00:00.000Z';
const memory: Memory = {
  id: newMemoryId(),
  scope: 'repository',
  key: 'git.test/shop',
  content: 'Use pnpm.',
  tags: [],
  source: { by: 'agent', name: 'amber', session: newSessionId(), thread: newThreadId(), seq: null },
  createdAt: at,
  updatedAt: at,
  uses: 0,
  lastUsedAt: null,
};

it('[LOOP35] memory is asked for with the key of the agent, and a refusal is told in its words', async () => {
  const asked: string[] = [];
  const path = '/gateway/agent/memories';
  const url = await listen((request, response) => {
    void text(request).then((body) => {
      const { method = '', url: to = '', headers } = request;
      asked.push([method, to, headers.authorization, body].join(' '));
      if (method === 'POST') {
        const again = body.includes('again');
        const stored = { memory, refreshed: again, dropped: again ? 0 : 2 };
        return response.writeHead(201).end(JSON.stringify(stored));
      }
      if (method === 'GET') {
        const memories = to.includes('nothing') ? [] : [memory];
        return response.end(JSON.stringify({ memories }));
      }
      if (to.endsWith(memory.id)) return response.writeHead(204).end();
      const error = { code: 'conflict', message: 'A person wrote this memory.' };
      return response.writeHead(409).end(JSON.stringify({ error }));
    });
  });
  const tools = memoryTools({ baseUrl: `${url}/gateway`, apiKey: 'fpk_test' });
  const call = (name: string, input: unknown) => {
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return use(tool, input);
  };

  const first = await call('remember', { content: 'Use pnpm.', scope: 'repository' });
  expect(first).toEqual({
    ok: true,
    text: `Remembered, as ${memory.id} (repository). There was no more room: 2 of the oldest went.`,
  });
  expect((await call('remember', { content: 'again' })).text).toBe(
    `That was remembered already, and counts as new, as ${memory.id} (repository).`,
  );
  expect((await call('recall', { words: 'pnpm & "npm"', scope: 'user' })).text).toBe(
    `${memory.id} (repository, from amber, 2026-03-01): Use pnpm.`,
  );
  expect((await call('recall', { words: 'nothing' })).text).toBe('Nothing was remembered of that.');
  expect((await call('forget', { id: memory.id })).text).toBe('Forgotten.');
  expect(await call('forget', { id: newMemoryId() })).toEqual({
    ok: false,
    text: 'A person wrote this memory.',
  });
  expect(asked.slice(0, 5)).toEqual([
    `POST ${path} Bearer fpk_test {"content":"Use pnpm.","scope":"repository"}`,
    `POST ${path} Bearer fpk_test {"content":"again"}`,
    `GET ${path}?q=pnpm+%26+%22npm%22&scope=user Bearer fpk_test `,
    `GET ${path}?q=nothing Bearer fpk_test `,
    `DELETE ${path}/${memory.id} Bearer fpk_test `,
  ]);
});
