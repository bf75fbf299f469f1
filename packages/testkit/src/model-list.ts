import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Asked = { readonly path: string; readonly headers: IncomingMessage['headers'] };

export type ModelListServer = {
  /** What `OPENROUTER_BASE_URL` is to say. */
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Answers with this status from now on. */
  fail(status: number | null): void;
  [Symbol.asyncDispose](): Promise<void>;
};

const model = (id: string, name: string, prompt: string, completion: string) => ({
  id,
  name,
  context_length: 200_000,
  top_provider: { max_completion_tokens: 64_000 },
  pricing: { prompt, completion },
});

const MODELS = [
  model('anthropic/claude-sonnet-4.6', 'Anthropic: Claude Sonnet 4.6', '0.000003', '0.000015'),
  model('anthropic/claude-haiku-4.5', 'Anthropic: Claude Haiku 4.5', '0.000001', '0.000005'),
  model('openai/gpt-5.4', 'OpenAI: GPT-5.4', '0.0000025', '0.000015'),
  model('maker/tiny', 'Maker: Tiny', '0', '0'),
];

/**
 * OpenRouter as far as it tells of models and keys: `GET /v1/models`, and `GET /v1/key` for a key like `sk-or-good…`.
 * It has some models, and `more` of a maker called many.
 */
export async function startModelList({ more = 0 } = {}): Promise<ModelListServer> {
  const many = Array.from({ length: more }, (_, at) =>
    model(`many/model-${at + 1}`, `Many: Model ${at + 1}`, '0.000001', '0.000002'),
  );
  const asked: Asked[] = [];
  let failing: number | null = null;
  const server = createServer(({ url: path = '', headers }, response) => {
    asked.push({ path, headers });
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (failing !== null) send(failing, { error: { message: 'out of order' } });
    else if (path === '/v1/models') send(200, { data: [...MODELS, ...many] });
    else if (path !== '/v1/key') send(404, { error: { message: 'nothing here' } });
    else if (headers.authorization?.startsWith('Bearer sk-or-good')) send(200, { data: {} });
    else send(401, { error: { message: `No user for ${headers.authorization ?? 'no key'}` } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    fail: (status) => {
      failing = status;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
