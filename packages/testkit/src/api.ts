import { LogEvent, Node, Session, Tree } from '@filepath/protocol';
import { z } from 'zod';

/** Calls the API with a bearer token and parses what comes back. */
export class Api {
  readonly url: string;
  readonly token: string;

  constructor(instance: { url: string; token: string }) {
    this.url = instance.url;
    this.token = instance.token;
  }

  async call(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method,
      // A connection of its own: a kept one may belong to an engine that was killed since.
      headers: {
        authorization: `Bearer ${this.token}`,
        'content-type': 'application/json',
        connection: 'close',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async json<S extends z.ZodType>(
    schema: S,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<z.output<S>> {
    const response = await this.call(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return schema.parse(JSON.parse(text));
  }

  /** A session with one custom agent. */
  async agent(
    command: string[],
    options: { gitRepoUrl?: string; name?: string; config?: Record<string, unknown> } = {},
  ): Promise<{ session: Session; node: Node }> {
    const { gitRepoUrl, name, config = {} } = options;
    return this.json(z.object({ session: Session, node: Node }), 'POST', '/api/session', {
      ...(gitRepoUrl === undefined ? {} : { gitRepoUrl }),
      root: {
        agentType: 'custom',
        config: { command, ...config },
        ...(name === undefined ? {} : { name }),
      },
    });
  }

  async message(thread: string, content: string): Promise<number> {
    const path = `/api/thread/${thread}/message`;
    return (await this.json(z.object({ seq: z.int() }), 'POST', path, { content })).seq;
  }

  tree(session: string): Promise<Tree> {
    return this.json(Tree, 'GET', `/api/session/${session}/tree`);
  }

  /** The whole log, page by page. */
  async events(thread: string): Promise<LogEvent[]> {
    const Page = z.object({ events: z.array(LogEvent), next: z.int().nullable() });
    const out: LogEvent[] = [];
    for (let after: number | null = 0; after !== null;) {
      const page: z.output<typeof Page> = await this.json(
        Page,
        'GET',
        `/api/thread/${thread}/events?after=${after}`,
      );
      out.push(...page.events);
      after = page.next;
    }
    return out;
  }
}
