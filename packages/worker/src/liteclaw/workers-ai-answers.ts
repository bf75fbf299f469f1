import { z } from 'zod';
import { SseReader } from '../gateway/meter/sse.ts';

/**
 * What models of Workers AI answer with: Chat Completions where they have `choices`, else words of its own. Whole and in
 * pieces these are the same.
 */
const Native = z.looseObject({
  choices: z.array(z.unknown()).optional(),
  response: z.unknown().optional(),
  tool_calls: z
    .array(z.looseObject({ id: z.string().optional(), name: z.string(), arguments: z.unknown() }))
    .nullish(),
  usage: z.looseObject({}).nullish(),
});
type Native = z.infer<typeof Native>;

/** An answer in one piece, as Chat Completions has it. Throws for what is none. */
export function completionOf(given: unknown): object {
  const answer = Native.parse(given);
  if (answer.choices) return answer;
  const calls = callsOf(answer);
  const message = {
    role: 'assistant',
    content: textOf(answer),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const { usage } = answer;
  return {
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: reasonOf(calls.length) }],
    ...(usage && { usage }),
  };
}

/** Events of an answer as Chat Completions has them. A stream without an end gets none. */
export function toCompletionChunks(): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new TextEncoder();
  let calls = 0;
  let usage: Native['usage'] = null;
  let own = false;
  let write: (data: string) => void = () => undefined;
  const chunk = (choices: readonly object[], more: object = {}): void =>
    write(JSON.stringify({ object: 'chat.completion.chunk', choices, ...more }));
  const delta = (of: object, reason: string | null = null): void =>
    chunk([{ index: 0, delta: of, finish_reason: reason }]);
  const reader = new SseReader(
    (data) => {
      if (data === '[DONE]') {
        if (own) delta({}, reasonOf(calls));
        if (usage) chunk([], { usage });
        write(data);
        return;
      }
      const answer = Native.parse(JSON.parse(data));
      if (answer.choices) {
        write(data);
        return;
      }
      own = true;
      usage = answer.usage ?? usage;
      const content = textOf(answer);
      if (content !== '') delta({ content });
      for (const call of callsOf(answer)) {
        delta({ tool_calls: [{ index: calls, ...call }] });
        calls += 1;
      }
    },
    () => false,
  );
  return new TransformStream({
    start: (controller) => {
      write = (data) => controller.enqueue(encoder.encode(`data: ${data}\n\n`));
    },
    transform: (bytes) => reader.push(bytes),
    flush: () => reader.end(),
  });
}

/** With a schema for its answer a model gives a value in place of text. */
function textOf({ response }: Native): string {
  if (response === undefined || response === null) return '';
  return typeof response === 'string' ? response : JSON.stringify(response);
}

function callsOf({ tool_calls: calls }: Native) {
  return (calls ?? []).map(({ id, name, arguments: given }) => ({
    id: id ?? `call_${crypto.randomUUID()}`,
    type: 'function',
    function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}) },
  }));
}

const reasonOf = (calls: number): string => (calls > 0 ? 'tool_calls' : 'stop');
