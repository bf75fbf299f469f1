import { z } from 'zod';
import { JsonObject } from '../json.ts';
import { SkyText, ToolCallId, ToolName } from './values.ts';

/** How far a call of a tool is, in the words of the AI SDK. */
export const SkyToolState = z.enum([
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
]);

/** The value of a `json` part of the kind `tool`: the call and, once it is there, its result. */
export const SkyToolCall = z.strictObject({
  tool_call_id: ToolCallId,
  tool_name: ToolName,
  state: SkyToolState,
  args: z.unknown().optional(),
  output: z.unknown().optional(),
  error: SkyText.optional(),
  /** The tool was not known when the chat was built. */
  dynamic: z.literal(true).optional(),
  ui: JsonObject.optional(),
});
export type SkyToolCall = z.infer<typeof SkyToolCall>;
