import { OFFLINE_MODEL } from '@filepath/protocol';
import { z } from 'zod';
import type { Said } from '../conversation.ts';
import { type Answer, type Format, pieces, sse, textOf } from './format.ts';

const Item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.unknown().optional(),
  id: z.string().optional(),
  call_id: z.string().nullish(),
  output: z.unknown().optional(),
});

const Body = z.looseObject({
  input: z.union([z.string(), z.array(Item).min(1)]),
  tools: z.array(z.looseObject({ name: z.string().optional() })).nullish(),
});

/** What is neither said, called nor answered (reasoning …) is left out. */
function toSaid(item: z.infer<typeof Item>): Said[] {
  const { type = 'message', role } = item;
  const id = item.call_id ?? '';
  if (type === 'message' && (role === 'user' || role === 'assistant')) {
    return [{ role, text: textOf(item.content), calls: [], results: [] }];
  }
  if (type.endsWith('_call')) return [{ role: 'assistant', text: '', calls: [id], results: [] }];
  if (type.endsWith('_call_output')) {
    const result = { id, text: textOf(item.output), isError: false };
    return [{ role: 'user', text: '', calls: [], results: [result] }];
  }
  // Something that this model said before: its id is enough to know what it was.
  if (type === 'item_reference' && item.id !== undefined) {
    const calls = item.id.startsWith(CALL) ? [item.id.slice(CALL.length)] : [];
    return [{ role: 'assistant', text: '', calls, results: [] }];
  }
  return [];
}

const CALL = 'fc_';

type Event = { readonly type: string; readonly [key: string]: unknown };

type Part = {
  readonly empty: object;
  readonly whole: object;
  readonly events: readonly Event[];
};

function messagePart({ id, text }: Answer): Part {
  const item = { type: 'message', id: `msg_${id}`, role: 'assistant' };
  const at = { item_id: item.id, content_index: 0 };
  const part = { type: 'output_text', text, annotations: [] };
  return {
    empty: { ...item, status: 'in_progress', content: [] },
    whole: { ...item, status: 'completed', content: [part] },
    events: [
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...pieces(text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
      { type: 'response.output_text.done', ...at, text },
      { type: 'response.content_part.done', ...at, part },
    ],
  };
}

function callPart({ id, name, input }: Answer['calls'][number]): Part {
  const item = { type: 'function_call', id: `${CALL}${id}`, call_id: id, name };
  const text = JSON.stringify(input);
  const events = 'response.function_call_arguments';
  return {
    empty: { ...item, status: 'in_progress', arguments: '' },
    whole: { ...item, status: 'completed', arguments: text },
    events: [
      { type: `${events}.delta`, item_id: item.id, delta: text },
      { type: `${events}.done`, item_id: item.id, arguments: text },
    ],
  };
}

function partsOf(answer: Answer): Part[] {
  return [...(answer.text === '' ? [] : [messagePart(answer)]), ...answer.calls.map(callPart)];
}

function response({ id }: Answer, status: string, rest: object): object {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status,
    model: OFFLINE_MODEL,
    error: null,
    incomplete_details: null,
    ...rest,
  };
}

function completed(answer: Answer): object {
  const { input, output } = answer.tokens;
  return response(answer, 'completed', {
    output: partsOf(answer).map(({ whole }) => whole),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  });
}

function streamed(answer: Answer): Event[] {
  const begun = response(answer, 'in_progress', { output: [], usage: null });
  return [
    { type: 'response.created', response: begun },
    ...partsOf(answer).flatMap(({ empty, whole, events }, index) => {
      const at = { output_index: index };
      return [
        { type: 'response.output_item.added', ...at, item: empty },
        ...events.map((event) => ({ ...event, ...at })),
        { type: 'response.output_item.done', ...at, item: whole },
      ];
    }),
    { type: 'response.completed', response: completed(answer) },
  ];
}

/** OpenAI Responses. */
export const responses: Format = {
  read(body) {
    const { input, tools } = Body.parse(body);
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
    return {
      tools: new Set((tools ?? []).flatMap(({ name }) => name ?? [])),
      said: items.flatMap(toSaid),
    };
  },
  whole: completed,
  stream: (answer) =>
    streamed(answer)
      .map((event, number) => sse({ ...event, sequence_number: number }, event.type))
      .join(''),
  error: (message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: null },
  }),
};
