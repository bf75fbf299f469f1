import { OFFLINE_MODEL } from '@filepath/protocol';
import { z } from 'zod';
import type { Said } from '../conversation.ts';
import { type Answer, Content, type Format, pieces, sse, textOf } from './format.ts';

const Message = z.looseObject({
  role: z.string(),
  content: Content.nullish(),
  tool_calls: z.array(z.looseObject({ id: z.string() })).nullish(),
  tool_call_id: z.string().optional(),
});

const Body = z.looseObject({
  messages: z.array(Message).min(1),
  tools: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string() }).optional() }))
    .nullish(),
});

function toSaid(message: z.infer<typeof Message>): Said[] {
  const text = textOf(message.content ?? '');
  switch (message.role) {
    case 'user':
      return [{ role: 'user', text, calls: [], results: [] }];
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map(({ id }) => id);
      return [{ role: 'assistant', text, calls, results: [] }];
    }
    case 'tool': {
      const result = { id: message.tool_call_id ?? '', text, isError: false };
      return [{ role: 'user', text: '', calls: [], results: [result] }];
    }
    default:
      return [];
  }
}

function head({ id }: Answer, object: string): object {
  return {
    id: `chatcmpl-${id}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: OFFLINE_MODEL,
  };
}

function usage({ tokens: { input, output } }: Answer): object {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function toolCalls({ calls }: Answer): object[] {
  return calls.map(({ id, name, input }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
}

/** OpenAI Chat Completions. */
export const chat: Format = {
  read(body) {
    const { messages, tools } = Body.parse(body);
    return {
      tools: new Set((tools ?? []).flatMap((tool) => tool.function?.name ?? [])),
      said: messages.flatMap(toSaid),
    };
  },
  whole(answer) {
    const calls = toolCalls(answer);
    const message = {
      role: 'assistant',
      content: answer.text,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    const reason = calls.length > 0 ? 'tool_calls' : 'stop';
    return {
      ...head(answer, 'chat.completion'),
      choices: [{ index: 0, message, finish_reason: reason }],
      usage: usage(answer),
    };
  },
  stream(answer) {
    const chunk = (choices: readonly object[], more: object = {}): string =>
      sse({ ...head(answer, 'chat.completion.chunk'), choices, ...more });
    const delta = (of: object, reason: string | null = null): string =>
      chunk([{ index: 0, delta: of, finish_reason: reason }]);
    return [
      delta({ role: 'assistant', content: '' }),
      ...pieces(answer.text).map((content) => delta({ content })),
      ...toolCalls(answer).map((call) => delta({ tool_calls: [call] })),
      delta({}, answer.calls.length > 0 ? 'tool_calls' : 'stop'),
      chunk([], { usage: usage(answer) }),
      'data: [DONE]\n\n',
    ].join('');
  },
  error: (message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: null },
  }),
};
