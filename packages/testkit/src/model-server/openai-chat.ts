import { z } from 'zod';
import { type Answer, type Format, type Frame, pieces, sse } from './format.ts';
import { openaiError } from './openai-error.ts';
import type { ModelMessage } from './request.ts';
import { inputOf } from './usage.ts';

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]);

const Message = z.looseObject({
  role: z.string(),
  content: Content.nullish(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string(),
        function: z.looseObject({ name: z.string(), arguments: z.string() }),
      }),
    )
    .nullish(),
  tool_call_id: z.string().optional(),
});

const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.int().nullish(),
  max_completion_tokens: z.int().nullish(),
  messages: z.array(Message),
  tools: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string() }).optional() }))
    .nullish(),
});

function textOf(content: z.infer<typeof Content> | null | undefined): string {
  if (!content) return '';
  if (typeof content === 'string') return content;
  return content.map(({ text }) => text ?? '').join('');
}

export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function toMessage(message: z.infer<typeof Message>): ModelMessage {
  const text = textOf(message.content);
  if (message.role === 'tool') {
    const result = { id: message.tool_call_id ?? '', name: '', text, isError: false };
    return { role: 'user', text: '', calls: [], results: [result] };
  }
  return {
    role: message.role === 'assistant' ? 'assistant' : 'user',
    text,
    calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
      id,
      name,
      input: parsed(input),
    })),
    results: [],
  };
}

function isSystem({ role }: { readonly role: string }): boolean {
  return role === 'system' || role === 'developer';
}

function usageWords(counts: NonNullable<Answer['usage']>): object {
  const prompt = counts.input + counts.cacheRead + counts.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: counts.output,
    total_tokens: prompt + counts.output,
    prompt_tokens_details: {
      cached_tokens: counts.cacheRead,
      cache_write_tokens: counts.cacheWrite,
    },
    completion_tokens_details: { reasoning_tokens: counts.reasoning },
  };
}

function reasonOf({ turn, calls }: Answer): string {
  if (turn.stop === 'length') return 'length';
  if (turn.stop === 'refusal') return 'content_filter';
  return calls.length > 0 && turn.stop === undefined ? 'tool_calls' : 'stop';
}

function head({ id, model }: Answer, object: string): object {
  return { id: `chatcmpl-scripted-${id}`, object, created: 1_700_000_000, model };
}

function frames(answer: Answer, includeUsage: boolean): Frame[] {
  const { turn, calls } = answer;
  const chunk = (part: Frame['part'], delta: object, reason: string | null = null): Frame =>
    sse(part, {
      ...head(answer, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    });
  const said = [
    ...pieces(turn.reasoning ?? '', turn.chunk).map((piece) => ({ reasoning_content: piece })),
    ...pieces(turn.text ?? '', turn.chunk).map((piece) => ({ content: piece })),
  ];
  const called = calls.flatMap((call, index) => [
    chunk('between', {
      tool_calls: [
        { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
      ],
    }),
    ...pieces(inputOf(call), turn.chunk).map((piece) =>
      chunk('delta', { tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ]);
  const usage =
    answer.usage && includeUsage
      ? [
          {
            ...sse('close', {
              ...head(answer, 'chat.completion.chunk'),
              choices: [],
              usage: usageWords(answer.usage),
            }),
            usage: true as const,
          },
        ]
      : [];
  return [
    chunk('open', { role: 'assistant', content: '' }),
    ...said.map((delta) => chunk('delta', delta)),
    ...called,
    chunk('close', {}, reasonOf(answer)),
    ...usage,
    { part: 'close', text: 'data: [DONE]\n\n' },
  ];
}

function whole(answer: Answer): unknown {
  const { turn, calls } = answer;
  const message = {
    role: 'assistant',
    content: turn.text ?? null,
    ...(turn.reasoning === undefined ? {} : { reasoning_content: turn.reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: inputOf(call) },
          })),
        }),
  };
  return {
    ...head(answer, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: reasonOf(answer) }],
    ...(answer.usage ? { usage: usageWords(answer.usage) } : {}),
  };
}

/** OpenAI Chat Completions, with `reasoning_content` as other providers send it. */
export const openaiChat: Format = {
  read(body) {
    const read = Body.parse(body);
    const system = read.messages.filter(isSystem);
    return {
      model: read.model,
      stream: read.stream === true,
      system: system.map(({ content }) => textOf(content)).join('\n'),
      messages: read.messages.filter((message) => !isSystem(message)).map(toMessage),
      tools: (read.tools ?? []).flatMap((tool) => tool.function?.name ?? []),
      maxOutput: read.max_completion_tokens ?? read.max_tokens ?? null,
      includeUsage: read.stream_options?.include_usage === true,
    };
  },
  whole,
  frames,
  error: openaiError,
  errorFrame: (message) => sse('close', { error: { message, type: 'server_error', code: null } }),
};
