import { z } from 'zod';
import { RunId, StepId, ThreadId } from '../ids.ts';

/** Sky's event stream: what a loop inside the worker logs to its thread, with source `sky`. */
const base = {
  thread_id: ThreadId,
  run_id: RunId,
  step_id: StepId.nullable(),
  event_id: z.int().min(0),
};
const kind = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.looseObject({ type: z.literal(type), ...base, ...shape });

export const SkyEvent = z.discriminatedUnion('type', [
  kind('run.started', { model_config_id: z.string() }),
  kind('model.delta', { delta: z.string() }),
  kind('model.completed', { output: z.string(), finish_reason: z.string().optional() }),
  kind('tool.call.started', { tool_call_id: z.string(), tool_name: z.string() }),
  kind('tool.call.delta', { tool_call_id: z.string(), delta: z.string() }),
  kind('tool.call.completed', { tool_call_id: z.string(), args: z.unknown() }),
  kind('tool.result', {
    tool_call_id: z.string(),
    status: z.enum(['completed', 'error']),
    output: z.unknown(),
  }),
  kind('run.error', { error_code: z.string(), message: z.string() }),
  kind('run.completed', { output_hash: z.string() }),
]);
export type SkyEvent = z.infer<typeof SkyEvent>;
