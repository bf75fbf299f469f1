import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Child, newThreadId, NO_USAGE, SpawnCreate } from '@filepath/protocol';
import { onTestFinished } from 'vitest';

/** The worker's side of an agent's children. It takes what the schemas take, and does nothing else. */
export type TreeServer = {
  readonly url: string;
  readonly children: Child[];
  readonly spawned: SpawnCreate[];
  readonly asked: { method: string; path: string; key: string | undefined; body: unknown }[];
  /** Answers the next request with this status and these words. */
  refuseNext(status: number, message: string): void;
};

/** `model`: where everything else goes. */
export async function startTree(model = 'http://127.0.0.1:9'): Promise<TreeServer> {
  const children: Child[] = [];
  const spawned: SpawnCreate[] = [];
  const asked: TreeServer['asked'] = [];
  let refusal: { status: number; message: string } | null = null;

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const path = url.split('/gateway/agent/')[1];
    if (path === undefined) return pass(incoming, response, new URL(url, model));
    const text = (await incoming.toArray()).join('');
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    asked.push({ method, path, key: headers.authorization, body });
    const say = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (refusal) {
      const { status, message } = refusal;
      refusal = null;
      return say(status, { error: { code: 'cap_reached', message } });
    }
    if (path === 'children' && method === 'POST') return say(201, { child: spawn(body) });
    const named = children.find(({ id }) => path.includes(id));
    if (path === 'children' || path === 'children/wait') return say(200, { children });
    if (!named) return say(404, { error: { code: 'not_found', message: 'no such child' } });
    if (path.endsWith('/stop')) return say(200, { children: [named] });
    if (method === 'POST') return say(202, { seq: 3 });
    const messages = [
      { seq: 1, role: 'parent', text: 'Look.' },
      { seq: 4, role: 'agent', text: 'I looked.' },
    ];
    say(200, { messages });
  }

  function spawn(body: unknown): Child {
    const wish = SpawnCreate.parse(body);
    const known = spawned.findIndex(({ key }) => key === wish.key);
    const before = children[known];
    if (before) return before;
    spawned.push(wish);
    const { name, agent: agentType = 'shelley', model: wanted = 'm' } = wish;
    const shown = { id: newThreadId(), name, agentType, model: wanted, usage: NO_USAGE };
    const status = { status: 'running', reason: null, queue: null, works: true } as const;
    const child: Child = { ...shown, ...status, result: null };
    children.push(child);
    return child;
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      response.writeHead(400).end(String(error));
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    children,
    spawned,
    asked,
    refuseNext(status, message) {
      refusal = { status, message };
    },
  };
}

function pass(incoming: IncomingMessage, response: ServerResponse, to: URL): void {
  const { method, headers } = incoming;
  const onward = request(to, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.writeHead(502).end());
  incoming.pipe(onward);
}
