import { z } from 'zod';
import { type Answer, type Format, type Frame, pieces, sse } from './format.ts';
import type { ModelMessage } from './request.ts';
import { inputOf } from './usage.ts';

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().nullish(),
  content: z.unknown().optional(),
});

const Content = z.union([z.string(), z.array(Block)]);

const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  max_tokens: z.int().optional(),
  system: Content.optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: Content })),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
});

const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function textOf(content: unknown): string {
  const read = Content.safeParse(content);
  if (!read.success) return '';
  if (typeof read.data === 'string') return read.data;
  return read.data.map(({ text }) => text ?? '').join('');
}

function toMessage(role: string, content: z.infer<typeof Content>): ModelMessage {
  const blocks = typeof content === 'string' ? [] : content;
  return {
    role: role === 'assistant' ? 'assistant' : 'user',
    text: textOf(content),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id = '', name = '', input }) => ({ id, name, input })),
    results: blocks
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id: id = '', content: inner, is_error: failed }) => ({
        id,
        name: '',
        text: textOf(inner),
        isError: failed === true,
      })),
  };
}

type Counts = NonNullable<Answer['usage']>;

function usageWords(counts: Counts): object {
  return {
    input_tokens: counts.input,
    cache_creation_input_tokens: counts.cacheWrite,
    cache_read_input_tokens: counts.cacheRead,
    output_tokens: counts.output,
    output_tokens_details: { thinking_tokens: counts.reasoning },
  };
}

function reasonOf({ turn, calls }: Answer): string {
  if (turn.stop === 'length') return 'max_tokens';
  if (turn.stop === 'refusal') return 'refusal';
  return calls.length > 0 && turn.stop === undefined ? 'tool_use' : 'end_turn';
}

function head({ id, model }: Answer): object {
  return { id: `msg_scripted_${id}`, type: 'message', role: 'assistant', model };
}

type Part = {
  readonly whole: object;
  readonly empty: object;
  readonly deltas: readonly object[];
};

function partsOf({ turn, calls }: Answer): Part[] {
  const parts: Part[] = [];
  const { reasoning, text, chunk } = turn;
  if (reasoning !== undefined) {
    parts.push({
      whole: { type: 'thinking', thinking: reasoning, signature: 'c2NyaXB0ZWQ=' },
      empty: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...pieces(reasoning, chunk).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: 'c2NyaXB0ZWQ=' },
      ],
    });
  }
  if (text !== undefined) {
    parts.push({
      whole: { type: 'text', text },
      empty: { type: 'text', text: '' },
      deltas: pieces(text, chunk).map((piece) => ({ type: 'text_delta', text: piece })),
    });
  }
  for (const call of calls) {
    const block = { type: 'tool_use', id: call.id, name: call.name };
    parts.push({
      whole: { ...block, input: call.input },
      empty: { ...block, input: {} },
      deltas: pieces(inputOf(call), chunk).map((piece) => ({
        type: 'input_json_delta',
        partial_json: piece,
      })),
    });
  }
  return parts;
}

function event(
  part: Frame['part'],
  data: { readonly type: string; readonly [key: string]: unknown },
): Frame {
  return sse(part, data, data.type);
}

function frames(answer: Answer): Frame[] {
  const start = answer.usage && { ...usageWords(answer.usage), output_tokens: 1 };
  const message = {
    ...head(answer),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(start ? { usage: start } : {}),
  };
  const blocks = partsOf(answer).flatMap(({ empty, deltas }, index) => [
    event('between', { type: 'content_block_start', index, content_block: empty }),
    ...deltas.map((delta) => event('delta', { type: 'content_block_delta', index, delta })),
    event('between', { type: 'content_block_stop', index }),
  ]);
  const end = {
    type: 'message_delta',
    delta: { stop_reason: reasonOf(answer), stop_sequence: null },
    ...(answer.usage ? { usage: usageWords(answer.usage) } : {}),
  };
  return [
    event('open', { type: 'message_start', message }),
    event('open', { type: 'ping' }),
    ...blocks,
    answer.usage ? { ...event('close', end), usage: true } : event('close', end),
    event('close', { type: 'message_stop' }),
  ];
}

/** Anthropic Messages. */
export const anthropic: Format = {
  read(body) {
    const { model, stream, max_tokens: maxOutput, system, messages, tools } = Body.parse(body);
    return {
      model,
      stream: stream === true,
      system: textOf(system),
      messages: messages.map(({ role, content }) => toMessage(role, content)),
      tools: (tools ?? []).map(({ name }) => name),
      maxOutput: maxOutput ?? null,
      includeUsage: true,
    };
  },
  whole: (answer) => ({
    ...head(answer),
    content: partsOf(answer).map(({ whole }) => whole),
    stop_reason: reasonOf(answer),
    stop_sequence: null,
    ...(answer.usage ? { usage: usageWords(answer.usage) } : {}),
  }),
  frames,
  error: ({ status, message, overflow }) => ({
    type: 'error',
    error: {
      type: ERRORS[status] ?? 'api_error',
      message: overflow ? 'prompt is too long: 212345 tokens > 200000 maximum' : message,
    },
    request_id: 'req_scripted',
  }),
  errorFrame: (message) =>
    sse('close', { type: 'error', error: { type: 'overloaded_error', message } }, 'error'),
};
