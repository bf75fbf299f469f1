import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newJobId, newThreadId } from '@filepath/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { mergeChild } from '../../src/tree/merge-child.ts';
import { use } from '../native/tools/tool-kit.ts';

const hash = (letter: string): string => letter.repeat(40);
const about = {
  job: newJobId(),
  node: newThreadId(),
  name: 'helper',
  into: 'parent',
  target: 'lead',
  from: hash('1'),
};

it('[MERGE16] merge_child says which commit to merge, what is in conflict, or why not', async () => {
  const merged = { type: 'merged', ...about, commit: hash('3'), before: hash('2') };
  const files = [{ path: 'a', hunks: ['<<<<<<< x'] }];
  const conflict = { type: 'conflict', ...about, ours: hash('2'), files, truncated: false };
  const answers: [number, unknown][] = [
    [200, { result: { ...merged, how: 'merge', taken: false } }],
    [200, { result: { ...merged, how: 'none', taken: true } }],
    [200, { result: { ...conflict, hand: false } }],
    [200, { result: { ...conflict, hand: true } }],
    [202, { job: about.job }],
    [409, { error: { code: 'conflict', message: 'this session has no repository' } }],
  ];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    request.on('end', () => {
      const [status, body] = answers.shift() ?? [500, {}];
      response.writeHead(status).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const tool = mergeChild({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'fpk_test' });
  const ask = (more: object = {}) => use(tool, { id: about.node, ...more });
  const done = await ask();
  expect(done.ok).toBe(true);
  expect(done.text).toContain(`Run: git merge ${hash('3')}`);
  expect((await ask()).text).toBe('Your branch has what helper did. Your workspace has it.');
  const told = await ask({ onConflict: 'tell' });
  expect(told.ok).toBe(false);
  expect(told.text).toContain('a\n<<<<<<< x');
  expect((await ask({ onConflict: 'agent' })).text).toContain('helper has it as a task');
  expect((await ask()).text).toContain('longer than a minute');
  expect(await ask()).toMatchObject({ ok: false, text: 'this session has no repository' });
  expect(bodies[0]).toBe('{"into":"parent","onConflict":"tell"}');
});
