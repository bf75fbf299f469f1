import { OFFLINE_MODEL } from '@filepath/protocol';
import { z } from 'zod';
import type { Said } from '../conversation.ts';
import { type Answer, type Format, pieces, sse, textOf } from './format.ts';

const Block = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  id: z.string().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().nullish(),
  content: z.unknown().optional(),
});

const Message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(Block)]),
});

const Body = z.looseObject({
  messages: z.array(Message).min(1),
  tools: z.array(z.looseObject({ name: z.string() })).nullish(),
});

/** Programs say more in between, under other roles, `system` above all: the script has no use for it. */
function toSaid({ role, content }: z.infer<typeof Message>): Said[] {
  if (role !== 'user' && role !== 'assistant') return [];
  const blocks = typeof content === 'string' ? [] : content;
  const said: Said = {
    role,
    text: textOf(content),
    calls: blocks.flatMap(({ type, id }) => (type === 'tool_use' && id !== undefined ? [id] : [])),
    results: blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({
        id: block.tool_use_id ?? '',
        text: textOf(block.content),
        isError: block.is_error === true,
      })),
  };
  return [said];
}

function head({ id }: Answer): object {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: OFFLINE_MODEL,
    stop_sequence: null,
  };
}

function reason({ calls }: Answer): string {
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

function usage({ tokens: { input, output } }: Answer, written = output): object {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: written,
  };
}

type Event = { readonly type: string; readonly [key: string]: unknown };

function streamed(answer: Answer): Event[] {
  const parts = [
    ...(answer.text === ''
      ? []
      : [
          {
            block: { type: 'text', text: '' },
            deltas: pieces(answer.text).map((text) => ({ type: 'text_delta', text })),
          },
        ]),
    ...answer.calls.map(({ id, name, input }) => ({
      block: { type: 'tool_use', id, name, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
    })),
  ];
  const message = { ...head(answer), content: [], stop_reason: null, usage: usage(answer, 1) };
  return [
    { type: 'message_start', message },
    ...parts.flatMap(({ block, deltas }, index): Event[] => [
      { type: 'content_block_start', index, content_block: block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: reason(answer), stop_sequence: null },
      usage: usage(answer),
    },
    { type: 'message_stop' },
  ];
}

/** Anthropic Messages. */
export const anthropic: Format = {
  read(body) {
    const { messages, tools } = Body.parse(body);
    return {
      tools: new Set((tools ?? []).map(({ name }) => name)),
      said: messages.flatMap(toSaid),
    };
  },
  whole: (answer) => ({
    ...head(answer),
    content: [
      ...(answer.text === '' ? [] : [{ type: 'text', text: answer.text }]),
      ...answer.calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ],
    stop_reason: reason(answer),
    usage: usage(answer),
  }),
  stream: (answer) =>
    streamed(answer)
      .map((event) => sse(event, event.type))
      .join(''),
  error: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
};
