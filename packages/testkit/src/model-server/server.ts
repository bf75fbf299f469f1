import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TokenCounts } from '@filepath/protocol';
import { anthropic } from './anthropic.ts';
import { type ModelCall, Calls } from './calls.ts';
import { sendError } from './faults.ts';
import type { Format } from './format.ts';
import { google, googlePlace } from './google.ts';
import { MODEL_LIST, OPENROUTER_LIST } from './lists.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { keyOf, type ServerFormat, toRequest } from './request.ts';
import { chooser, type Scripts } from './script.ts';
import { countOf } from './usage.ts';

/** Every HTTP request, as it came. */
export type Recorded = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type ModelServer = {
  /** Without a path: clients want `{url}/v1` or, of Anthropic's kind, `{url}`. */
  readonly url: string;
  readonly requests: readonly Recorded[];
  /** Requests for an answer. */
  readonly calls: readonly ModelCall[];
  /** What the answers reported, in total. */
  count(): TokenCounts;
  /** The call of this number (from 1), as soon as it has come. */
  call(number: number): Promise<ModelCall>;
  /** Answers that are being written. */
  open(): number;
  /** Begins another script. */
  play(scripts: Scripts): void;
  close(): Promise<void>;
};

export type ModelServerOptions = Scripts & {
  /** The keys that are taken; every other gets 401. Without it: any. */
  readonly keys?: readonly string[];
  readonly port?: number;
};

const FORMATS: Readonly<Record<ServerFormat, Format>> = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  google,
};

const ASKS = /(?:\/(?:messages|chat\/completions|responses)|:(?:streamG|g)enerateContent)$/;

function formatOf(path: string): ServerFormat {
  if (/\/models\/[^/]+:\w+$/.test(path)) return 'google';
  if (/\/messages(\/count_tokens)?$/.test(path)) return 'anthropic';
  return path.endsWith('/responses') ? 'openai-responses' : 'openai-chat';
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** A provider of models on loopback, which says what its script says, in four formats. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: Recorded[] = [];
  const calls = new Calls();
  let choose = chooser(options);

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const left = new AbortController();
    response.on('close', () => left.abort());
    const body = await text(request);
    const { method = '', url: path = '/', headers } = request;
    requests.push({ method, path, headers, body });
    const place = path.replace(/\?.*$/, '');
    const name = formatOf(place);
    const format = FORMATS[name];
    const refuse = (status: number, message: string): void =>
      sendError(response, format, { status, message, overflow: false });

    if (options.keys && !options.keys.includes(keyOf(headers) ?? '')) {
      refuse(401, 'The API key is not valid.');
    } else if (method === 'GET' && place.endsWith('/api/v1/models')) {
      sendJson(response, OPENROUTER_LIST);
    } else if (method === 'GET' && place.endsWith('/models')) {
      sendJson(response, MODEL_LIST);
    } else if (method === 'POST' && place.endsWith('/messages/count_tokens')) {
      sendJson(response, { input_tokens: countOf(body) });
    } else if (method === 'POST' && place.endsWith(':countTokens')) {
      sendJson(response, { totalTokens: countOf(body) });
    } else if (method === 'POST' && ASKS.test(place)) {
      const named = googlePlace(place) ?? {};
      const asked = read(() =>
        toRequest(name, format.read({ ...Object(JSON.parse(body)), ...named }), headers, body),
      );
      if (asked instanceof Error) refuse(400, `The body is not understood: ${asked.message}`);
      else await calls.answer(response, format, asked, await choose(asked), left.signal);
    } else {
      refuse(404, `There is nothing at ${method} ${place}.`);
    }
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A script that throws is shown to its client; a client that has left sees nothing.
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(String(error));
    });
  });
  // workerd lets go of a connection after five seconds, as Node does: one of them has to be the first.
  server.keepAliveTimeout = 60_000;
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(options.port ?? 0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    calls: calls.all,
    count: () => calls.count(),
    call: (number) => calls.nth(number),
    open: () => calls.open,
    play: (scripts) => {
      choose = chooser(scripts);
    },
    close: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

function read<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
