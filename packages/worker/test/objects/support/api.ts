import { exports } from 'cloudflare:workers';
import {
  LogEvent,
  Node,
  type NodeCreate,
  Session,
  type SessionCreate,
  type ThreadId,
  Tree,
} from '@filepath/protocol';
import { z } from 'zod';

export const ORIGIN = 'http://localhost:4280';
export const OWNER = { authorization: 'Bearer owner-token-for-tests' };
export const RUNNER = { authorization: 'Bearer runner-token-for-tests' };
export const custom = { agentType: 'custom' as const, config: { command: ['true'] } };

type Init = { method?: string; headers?: Record<string, string>; body?: unknown };

/** A request to the worker as it comes in from outside. */
export function call(path: string, init: Init = {}): Promise<Response> {
  const { method = 'GET', headers = {}, body } = init;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return exports.default.fetch(
    new Request(`${ORIGIN}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...type, ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    }),
  );
}

/** The same as the owner, answered with the wanted status. */
export async function ask(status: number, method: string, path: string, body?: unknown) {
  const response = await call(path, { method, headers: OWNER, body });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? null : (JSON.parse(text) as unknown);
}

export async function newSession(create: SessionCreate = {}): Promise<Session> {
  const body = await ask(201, 'POST', '/api/session', create);
  return z.object({ session: Session }).parse(body).session;
}

export async function newNode(session: string, create: Partial<NodeCreate> = {}): Promise<Node> {
  const body = await ask(201, 'POST', `/api/session/${session}/node`, { ...custom, ...create });
  return z.object({ node: Node }).parse(body).node;
}

/** A session with one agent that nobody has spoken to. */
export async function newAgent(): Promise<{ session: Session; node: Node }> {
  const session = await newSession();
  return { session, node: await newNode(session.id) };
}

export async function treeOf(session: string): Promise<Tree> {
  return Tree.parse(await ask(200, 'GET', `/api/session/${session}/tree`));
}

export async function message(thread: ThreadId, content = 'do it'): Promise<number> {
  const body = await ask(202, 'POST', `/api/thread/${thread}/message`, { content });
  return z.object({ seq: z.int() }).parse(body).seq;
}

const Page = z.object({ events: z.array(LogEvent), next: z.int().nullable() });

export async function page(thread: ThreadId, query = '') {
  return Page.parse(await ask(200, 'GET', `/api/thread/${thread}/events${query}`));
}

/** The whole log, page by page. */
export async function logOf(thread: ThreadId): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  for (let after: number | null = 0; after !== null;) {
    const next = await page(thread, `?after=${after}`);
    events.push(...next.events);
    after = next.next;
  }
  return events;
}
