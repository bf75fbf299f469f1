import { z } from 'zod';
import { TokenCounts } from '../gateway/usage.ts';
import { RunId, StepId, ThreadId } from '../ids.ts';
import { deeperThan } from '../json.ts';
import { LIMITS } from '../limits.ts';
import {
  ExecutorKind,
  Hash,
  Milliseconds,
  ModelConfigId,
  SkyErrorCode,
  SkyMessageId,
  SkyText,
  ToolCallId,
  ToolName,
} from './values.ts';
import { SkyVersion } from './versions.ts';

/** Sky's event stream: what a loop inside the worker logs to its thread, with source `sky`. */
const base = {
  thread_id: ThreadId,
  run_id: RunId,
  step_id: StepId.nullable(),
  /** Rises within its run. */
  event_id: z.int().min(0),
};
const kind = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.strictObject({ type: z.literal(type), ...base, ...shape });

/** Any JSON, but there. */
const value = z.unknown().refine((given) => given !== undefined, 'expected a value');

export const SkyEvent = z
  .discriminatedUnion('type', [
    kind('run.started', {
      model_config_id: ModelConfigId,
      /** The version that the run writes; 1.0.0 unless it says so. */
      cf_sky_version: SkyVersion.optional(),
      /** The message that opened the run. */
      message_id: SkyMessageId.optional(),
    }),
    kind('model.delta', {
      delta: SkyText,
      /** Of what it is a part; of the answer unless it says so. */
      of: z.enum(['text', 'reasoning']).optional(),
    }),
    kind('model.completed', {
      output: SkyText,
      finish_reason: z.string().max(64).optional(),
      tokens: TokenCounts.optional(),
      duration_ms: Milliseconds.optional(),
    }),
    kind('tool.call.started', {
      tool_call_id: ToolCallId,
      tool_name: ToolName,
      executor: ExecutorKind.optional(),
    }),
    /** A piece of the arguments' JSON. */
    kind('tool.call.delta', { tool_call_id: ToolCallId, delta: SkyText }),
    /** The arguments, whole and valid. */
    kind('tool.call.completed', { tool_call_id: ToolCallId, args: value }),
    /** Refusals by policy and budget are results too: `error` with their code. */
    kind('tool.result', {
      tool_call_id: ToolCallId,
      status: z.enum(['completed', 'error']),
      output: value,
      error_code: SkyErrorCode.optional(),
      duration_ms: Milliseconds.optional(),
    }),
    kind('run.error', { error_code: SkyErrorCode, message: z.string().max(4096) }),
    kind('run.completed', {
      output_hash: Hash,
      /** The message that the run wrote. */
      message_id: SkyMessageId.optional(),
    }),
  ])
  .refine((event) => !deeperThan(event, LIMITS.depth), `nested deeper than ${LIMITS.depth} levels`);
export type SkyEvent = z.infer<typeof SkyEvent>;
