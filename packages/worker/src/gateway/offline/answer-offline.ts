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

export type OfflineRequest = {
  readonly format: WireFormat;
  readonly body: unknown;
  readonly stream: boolean;
};

/**
 * The model `offline/demo`: a script in the place of a language model. What it says follows from the request alone, so
 * that it can be asked anywhere and again.
 */
export function answerOffline({ format: name, body, stream }: OfflineRequest): Response {
  const format = FORMATS[name];
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
    tokens: { input: offlineTokens(body), output: outputTokens(reply) },
  };
  if (!stream) return Response.json(format.whole(answer));
  return new Response(format.stream(answer), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  });
}

/** It reads no text and has no tokens of its own: a token stands for four characters. */
export function offlineTokens(body: unknown): number {
  return Math.ceil((JSON.stringify(body) ?? '').length / 4);
}

function outputTokens({ text, calls }: Reply): number {
  const length = calls.reduce(
    (sum, { name, input }) => sum + name.length + JSON.stringify(input).length,
    text.length,
  );
  return Math.max(1, Math.ceil(length / 4));
}
