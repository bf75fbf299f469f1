import { type Answer, type Format, type Frame, pieces, sse } from './format.ts';
import { openaiError } from './openai-error.ts';
import { readResponses } from './openai-responses-read.ts';
import { inputOf } from './usage.ts';

type Event = { readonly type: string; readonly [key: string]: unknown };

type Item = {
  readonly id: string;
  /** As it is when it is done. */
  readonly whole: Event;
  /** As it is announced. */
  readonly empty: Event;
  readonly before: readonly Event[];
  readonly deltas: readonly Event[];
  readonly after: readonly Event[];
};

function reasoningItem(id: string, text: string, chunk: number | undefined): Item {
  const at = { item_id: id, summary_index: 0 };
  const part = { type: 'summary_text', text };
  const item = { type: 'reasoning', id, encrypted_content: null };
  return {
    id,
    whole: { ...item, summary: [part] },
    empty: { ...item, summary: [] },
    before: [{ type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } }],
    deltas: pieces(text, chunk).map((delta) => ({
      type: 'response.reasoning_summary_text.delta',
      ...at,
      delta,
    })),
    after: [
      { type: 'response.reasoning_summary_text.done', ...at, text },
      { type: 'response.reasoning_summary_part.done', ...at, part },
    ],
  };
}

function messageItem(id: string, text: string, chunk: number | undefined): Item {
  const at = { item_id: id, content_index: 0 };
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const item = { type: 'message', id, role: 'assistant' };
  return {
    id,
    whole: { ...item, status: 'completed', content: [part] },
    empty: { ...item, status: 'in_progress', content: [] },
    before: [{ type: 'response.content_part.added', ...at, part: { ...part, text: '' } }],
    deltas: pieces(text, chunk).map((delta) => ({
      type: 'response.output_text.delta',
      ...at,
      delta,
      logprobs: [],
    })),
    after: [
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
    ],
  };
}

function callItem(id: string, call: Answer['calls'][number], chunk: number | undefined): Item {
  const free = typeof call.input === 'string';
  const key = free ? 'input' : 'arguments';
  const events = free ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
  const text = inputOf(call);
  const item = {
    type: free ? 'custom_tool_call' : 'function_call',
    id,
    call_id: call.id,
    name: call.name,
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
  };
  return {
    id,
    whole: { ...item, status: 'completed', [key]: text },
    empty: { ...item, status: 'in_progress', [key]: '' },
    before: [],
    deltas: pieces(text, chunk).map((delta) => ({ type: `${events}.delta`, item_id: id, delta })),
    after: [{ type: `${events}.done`, item_id: id, [key]: text }],
  };
}

function itemsOf({ id, turn, calls }: Answer): Item[] {
  const { reasoning, text, chunk } = turn;
  return [
    ...(reasoning === undefined ? [] : [reasoningItem(`rs_scripted_${id}`, reasoning, chunk)]),
    ...(text === undefined ? [] : [messageItem(`msg_scripted_${id}`, text, chunk)]),
    ...calls.map((call, at) => callItem(`fc_scripted_${id}_${at}`, call, chunk)),
  ];
}

function usageWords(counts: NonNullable<Answer['usage']>): object {
  const input = counts.input + counts.cacheRead + counts.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: counts.cacheRead,
      cache_write_tokens: counts.cacheWrite,
    },
    output_tokens: counts.output,
    output_tokens_details: { reasoning_tokens: counts.reasoning },
    total_tokens: input + counts.output,
  };
}

function response({ id, model }: Answer, status: string, rest: object): Event {
  return {
    id: `resp_scripted_${id}`,
    object: 'response',
    type: 'response',
    created_at: 1_700_000_000,
    status,
    model,
    error: null,
    incomplete_details: null,
    parallel_tool_calls: true,
    tools: [],
    ...rest,
  };
}

function ended(answer: Answer): Event {
  const { stop } = answer.turn;
  const rest = {
    output: itemsOf(answer).map(({ whole }) => whole),
    ...(answer.usage ? { usage: usageWords(answer.usage) } : {}),
  };
  if (stop === undefined || stop === 'end') return response(answer, 'completed', rest);
  const reason = stop === 'length' ? 'max_output_tokens' : 'content_filter';
  return response(answer, 'incomplete', { ...rest, incomplete_details: { reason } });
}

function frames(answer: Answer): Frame[] {
  let number = 0;
  const event = (part: Frame['part'], data: Event): Frame =>
    sse(part, { ...data, sequence_number: number++ }, data.type);
  const begun = response(answer, 'in_progress', { output: [], usage: null });
  const opening = ['response.created', 'response.in_progress'].map((type) =>
    event('open', { type, response: begun }),
  );
  const body = itemsOf(answer).flatMap((item, index) => {
    const at = { output_index: index };
    return [
      event('between', { type: 'response.output_item.added', ...at, item: item.empty }),
      ...item.before.map((data) => event('between', { ...data, ...at })),
      ...item.deltas.map((data) => event('delta', { ...data, ...at })),
      ...item.after.map((data) => event('between', { ...data, ...at })),
      event('between', { type: 'response.output_item.done', ...at, item: item.whole }),
    ];
  });
  const last = ended(answer);
  const type = last['status'] === 'completed' ? 'response.completed' : 'response.incomplete';
  const close = event('close', { type, response: last });
  return [...opening, ...body, answer.usage ? { ...close, usage: true } : close];
}

/** OpenAI Responses. */
export const openaiResponses: Format = {
  read: readResponses,
  whole: ended,
  frames,
  error: openaiError,
  errorFrame: (message) =>
    sse(
      'close',
      { type: 'error', code: 'server_error', message, param: null, sequence_number: 0 },
      'error',
    ),
};
