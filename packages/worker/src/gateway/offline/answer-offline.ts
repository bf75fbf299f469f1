import type { WireFormat } from '@filepath/protocol';
import type { Reply } from './conversation.ts';
import { anthropic } from './formats/anthropic.ts';
import { chat } from './formats/chat.ts';
import type { Answer, Format } from './formats/format.ts';
import { responses } from './formats/responses.ts';
import { play } from './script/play.ts';

const FORMATS: Readonly<Record<WireFormat, Format>> = {
  anthropic,
  'openai-chat': chat,
  'openai-responses': responses,
};

const PATHS: Readonly<Record<WireFormat, string>> = {
  anthropic: '/v1/messages',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
};

const COUNTS = new Set(['/v1/messages/count_tokens', '/v1/responses/input_tokens']);

export type OfflineRequest = {
  readonly format: WireFormat;
  /** What follows the format's prefix, without a query. Without it: the one at which a model answers. */
  readonly path?: string;
  readonly body: unknown;
  readonly stream: boolean;
};

/**
 * The model `offline/demo`: a script in the place of a language model. What it says follows from the request alone, so
 * that it can be asked anywhere and again.
 */
export function answerOffline({ format: name, path, body, stream }: OfflineRequest): Response {
  const format = FORMATS[name];
  if (path !== undefined && COUNTS.has(path)) {
    return Response.json({ object: 'response.input_tokens', input_tokens: tokensIn(body) });
  }
  if (path !== undefined && path !== PATHS[name]) {
    const message = `offline/demo is a script: it answers at ${PATHS[name]}, and not at ${path}.`;
    return Response.json(format.error(message), { status: 404 });
  }
  let conversation;
  try {
    conversation = format.read(body);
  } catch {
    const message = 'offline/demo does not understand this request: it has no messages.';
    return Response.json(format.error(message), { status: 400 });
  }
  const reply = play(conversation);
  const answer: Answer = {
    ...reply,
    id: crypto.randomUUID(),
    tokens: { input: tokensIn(body), output: outputTokens(reply) },
  };
  if (!stream) return Response.json(format.whole(answer));
  return new Response(format.stream(answer), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  });
}

/** It reads no text and has no tokens of its own: a token stands for four characters. */
function tokensIn(body: unknown): number {
  return Math.ceil((JSON.stringify(body) ?? '').length / 4);
}

function outputTokens({ text, calls }: Reply): number {
  const length = calls.reduce(
    (sum, { name, input }) => sum + name.length + JSON.stringify(input).length,
    text.length,
  );
  return Math.max(1, Math.ceil(length / 4));
}
