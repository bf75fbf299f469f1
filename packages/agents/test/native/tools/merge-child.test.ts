import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newJobId, newThreadId } from '@filepath/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { mergeChildTool } from '../../../src/native/tools/merge-child.ts';
import { kit, use } from './tool-kit.ts';

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
    [200, { result: { ...conflict, hand: false } }],
    [202, { job: about.job }],
    [409, { error: { code: 'conflict', message: 'this session has no repository' } }],
    [404, {}],
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
  onTestFinished(() => void server.close());
  const tool = mergeChildTool(kit(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const ask = (more: object = {}) => use(tool, { id: 'th_1', ...more });
  expect(await ask()).toMatchObject({
    ok: true,
    text: expect.stringContaining(`git merge ${hash('3')}`),
  });
  expect(await ask({ onConflict: 'tell' })).toMatchObject({
    ok: false,
    text: expect.stringContaining('a\n<<<<<<< x'),
  });
  expect((await ask()).text).toContain('longer than a minute');
  expect(await ask()).toMatchObject({ ok: false, text: 'this session has no repository' });
  expect(await ask()).toMatchObject({ ok: false, text: 'There is no such child.' });
  expect(bodies[0]).toBe('{"into":"parent","onConflict":"tell"}');
});
