import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { TREE_TOOLS } from '../../src/tree/tools.ts';
import { startTree } from '../tree-server.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

const Answer = z.looseObject({ id: z.number(), result: z.unknown() });
const Called = z.object({
  content: z.array(z.object({ text: z.string() })),
  isError: z.boolean().optional(),
});

/** A client of the protocol, as far as a CLI uses it. */
class Client {
  readonly process: ChildProcess;
  #waiting = new Map<number, (result: unknown) => void>();
  #next = 0;

  constructor(url: string) {
    this.process = spawn(process.execPath, [MAIN, 'mcp'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        FILEPATH_BASE_URL: `${url}/gateway`,
        FILEPATH_API_KEY: 'fpk_test',
      },
    });
    onTestFinished(() => void this.process.kill('SIGKILL'));
    if (!this.process.stdout) throw new Error('no stdout');
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      const { id, result } = Answer.parse(JSON.parse(line));
      this.#waiting.get(id)?.(result);
    });
  }

  send(message: object): void {
    this.process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  ask(method: string, params: object): Promise<unknown> {
    const id = (this.#next += 1);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, resolve);
    this.send({ id, method, params });
    return promise;
  }

  async open(): Promise<void> {
    await this.ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    this.send({ method: 'notifications/initialized' });
  }

  async call(name: string, args: object) {
    return Called.parse(await this.ask('tools/call', { name, arguments: args }));
  }
}

it('[TALK7] serves the tools of a tree by MCP, and ends with its stdin', async () => {
  const tree = await startTree();
  const client = new Client(tree.url);
  await client.open();
  const { tools } = z
    .object({ tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.unknown() })) })
    .parse(await client.ask('tools/list', {}));
  expect(new Set(tools.map(({ name }) => name))).toEqual(TREE_TOOLS);
  expect(tools.find(({ name }) => name === 'spawn_agent')?.inputSchema).toMatchObject({
    type: 'object',
    required: ['name', 'task'],
  });

  const spawned = await client.call('spawn_agent', { name: 'tests', task: 'Write tests.' });
  expect(spawned.content[0]?.text).toContain(`as ${tree.children[0]?.id}`);
  expect(spawned.isError).toBeUndefined();
  expect(tree.asked[0]).toMatchObject({ key: 'Bearer fpk_test', path: 'children' });
  const waited = await client.call('wait_children', { seconds: 0 });
  expect(waited.content[0]?.text).toContain('1 still at work');

  tree.refuseNext(409, 'the tree is at most 8 levels deep');
  expect(await client.call('spawn_agent', { name: 'x', task: 'y' })).toMatchObject({
    isError: true,
    content: [{ text: 'the tree is at most 8 levels deep' }],
  });
  const wrong = await client.call('read_child_messages', { id: '../../secrets' });
  expect(wrong.isError).toBe(true);
  expect(tree.asked).toHaveLength(3);

  client.process.stdin?.end();
  expect(await once(client.process, 'exit')).toEqual([0, null]);
});
