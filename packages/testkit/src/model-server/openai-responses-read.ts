import { z } from 'zod';
import { parsed } from './openai-chat.ts';
import type { ModelMessage, ReadBody } from './request.ts';

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().nullish() }))]);

const Item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: Content.nullish(),
  call_id: z.string().nullish(),
  name: z.string().optional(),
  arguments: z.unknown().optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
});
type Item = z.infer<typeof Item>;

const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().nullish(),
  input: z.union([z.string(), z.array(Item)]),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).nullish(),
});

function textOf(content: unknown): string {
  const read = Content.safeParse(content);
  if (!read.success) return content === undefined ? '' : JSON.stringify(content);
  if (typeof read.data === 'string') return read.data;
  return read.data.map(({ text }) => text ?? '').join('');
}

const CALLS = new Set(['function_call', 'custom_tool_call', 'local_shell_call']);

/** Items that are nothing said, called or answered (reasoning …) are left out. */
function toMessage(item: Item): ModelMessage[] {
  const type = item.type ?? 'message';
  const id = item.call_id ?? '';
  if (type === 'message' && item.role !== undefined) {
    const role = item.role === 'assistant' ? 'assistant' : 'user';
    return [{ role, text: textOf(item.content ?? ''), calls: [], results: [] }];
  }
  if (CALLS.has(type)) {
    const input = type === 'function_call' ? parsed(String(item.arguments)) : item.input;
    return [
      { role: 'assistant', text: '', calls: [{ id, name: item.name ?? '', input }], results: [] },
    ];
  }
  if (type.endsWith('_call_output')) {
    const result = { id, name: '', text: textOf(item.output), isError: false };
    return [{ role: 'user', text: '', calls: [], results: [result] }];
  }
  return [];
}

function isSystem({ role }: Item): boolean {
  return role === 'system' || role === 'developer';
}

export function readResponses(body: unknown): ReadBody {
  const read = Body.parse(body);
  const items =
    typeof read.input === 'string' ? [{ role: 'user', content: read.input } as Item] : read.input;
  const system = items.filter(isSystem).map(({ content }) => textOf(content ?? ''));
  return {
    model: read.model,
    stream: read.stream === true,
    system: [read.instructions ?? '', ...system].filter((text) => text !== '').join('\n'),
    messages: items.filter((item) => !isSystem(item)).flatMap(toMessage),
    tools: (read.tools ?? []).map(({ type, name }) => name ?? type),
    maxOutput: read.max_output_tokens ?? null,
    includeUsage: true,
  };
}
