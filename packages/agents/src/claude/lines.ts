import { z } from 'zod';

/** The lines of the dialect, as far as the driver reads them. Unknown keys and kinds are left alone. */
const parent = z.string().nullish();

const Usage = z.looseObject({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
});
export type Usage = z.infer<typeof Usage>;

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});
export type Block = z.infer<typeof Block>;

export const AssistantLine = z.looseObject({
  type: z.literal('assistant'),
  message: z.looseObject({
    // Amp gives none.
    id: z.string().catch(() => crypto.randomUUID()),
    model: z.string().optional(),
    content: z.array(Block),
    usage: Usage.nullish(),
    stop_reason: z.string().nullish(),
  }),
  parent_tool_use_id: parent,
  is_api_error_message: z.boolean().optional(),
});
export type AssistantLine = z.infer<typeof AssistantLine>;

export const UserLine = z.looseObject({
  type: z.literal('user'),
  message: z.looseObject({ content: z.union([z.string(), z.array(Block)]) }),
  parent_tool_use_id: parent,
  tool_use_result: z.unknown().optional(),
  isReplay: z.boolean().optional(),
  isSynthetic: z.boolean().optional(),
});
export type UserLine = z.infer<typeof UserLine>;

export const StreamLine = z.looseObject({
  type: z.literal('stream_event'),
  event: z.looseObject({
    type: z.string(),
    index: z.number().optional(),
    message: z.looseObject({ id: z.string() }).optional(),
    delta: z.looseObject({ type: z.string().optional(), text: z.string().optional() }).optional(),
  }),
  parent_tool_use_id: parent,
});
export type StreamLine = z.infer<typeof StreamLine>;

export const SystemLine = z.looseObject({
  type: z.literal('system'),
  subtype: z.string(),
  session_id: z.string().optional(),
  state: z.string().optional(),
  status: z.string().nullish(),
  attempt: z.number().optional(),
  max_retries: z.number().optional(),
  retry_delay_ms: z.number().optional(),
  error_status: z.number().nullish(),
  tasks: z.array(z.unknown()).optional(),
});
export type SystemLine = z.infer<typeof SystemLine>;

export const ResultLine = z.looseObject({
  type: z.literal('result'),
  subtype: z.string().optional(),
  is_error: z.boolean().optional(),
  result: z.string().nullish(),
  session_id: z.string().optional(),
  terminal_reason: z.string().nullish(),
  api_error_status: z.number().nullish(),
  errors: z.array(z.string()).optional(),
  usage: Usage.nullish(),
  modelUsage: z
    .record(z.string(), z.looseObject({ contextWindow: z.number().optional() }))
    .nullish(),
});
export type ResultLine = z.infer<typeof ResultLine>;

export const ControlRequestLine = z.looseObject({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({
    subtype: z.string(),
    tool_name: z.string().optional(),
    input: z.record(z.string(), z.unknown()).optional(),
    tool_use_id: z.string().optional(),
    description: z.string().nullish(),
  }),
});
export type ControlRequestLine = z.infer<typeof ControlRequestLine>;

export const RateLimitLine = z.looseObject({
  type: z.literal('rate_limit_event'),
  rate_limit_info: z.looseObject({
    status: z.string().optional(),
    resetsAt: z.number().optional(),
    rateLimitType: z.string().optional(),
  }),
});
