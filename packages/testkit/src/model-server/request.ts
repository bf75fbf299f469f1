import type { IncomingHttpHeaders } from 'node:http';
import type { WireFormat } from '@filepath/protocol';

/** The formats of the gateway, and Google's, whose CLI speaks no other. */
export type ServerFormat = WireFormat | 'google';

export type AskedCall = { readonly id: string; readonly name: string; readonly input: unknown };

export type ToolResult = {
  readonly id: string;
  /** Of the call that it answers; empty if the request does not hold it. */
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
};

export type ModelMessage = {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly calls: readonly AskedCall[];
  readonly results: readonly ToolResult[];
};

/** A request for an answer, in no format's words. */
export type ModelRequest = {
  readonly format: ServerFormat;
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** Names of the tools that are offered. */
  readonly tools: readonly string[];
  /** Results of tools since the model last spoke. */
  readonly results: readonly ToolResult[];
  /** What the user said last. */
  readonly lastText: string;
  /** How often the model has spoken in this conversation. */
  readonly replies: number;
  readonly maxOutput: number | null;
  /** Only the chat format knows it: else usage always comes. */
  readonly includeUsage: boolean;
  /** The key as it arrived, from `x-api-key`, `x-goog-api-key` or `authorization`. */
  readonly key: string | null;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
};

/** What a format's reader finds in a body. */
export type ReadBody = Pick<
  ModelRequest,
  'model' | 'stream' | 'system' | 'tools' | 'maxOutput' | 'includeUsage'
> & { readonly messages: readonly ModelMessage[] };

export function toRequest(
  format: ServerFormat,
  body: ReadBody,
  headers: IncomingHttpHeaders,
  raw: string,
): ModelRequest {
  const names = new Map(
    body.messages.flatMap(({ calls }) => calls).map(({ id, name }) => [id, name]),
  );
  const messages = body.messages.map((message) => ({
    ...message,
    results: message.results.map((result) => ({ ...result, name: names.get(result.id) ?? '' })),
  }));
  const spoke = messages.findLastIndex(({ role }) => role === 'assistant');
  return {
    ...body,
    format,
    messages,
    results: messages.slice(spoke + 1).flatMap(({ results }) => results),
    lastText: messages.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? '',
    replies: runsOf(messages),
    key: keyOf(headers),
    headers,
    raw,
  };
}

/** Assistant messages that follow each other are one reply. */
function runsOf(messages: readonly ModelMessage[]): number {
  return messages.filter(
    ({ role }, at) => role === 'assistant' && messages[at - 1]?.role !== 'assistant',
  ).length;
}

export function keyOf(headers: IncomingHttpHeaders): string | null {
  const own = headers['x-api-key'] ?? headers['x-goog-api-key'];
  if (typeof own === 'string') return own;
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}
