import { z } from 'zod';
import { TokenCounts } from '../gateway/usage.ts';
import { CommitHash } from '../git/commit-hash.ts';
import { RunId, StepId, ThreadId } from '../ids.ts';
import { GateCheck } from '../thread/gates.ts';

export const CF_SKY_VERSION = '1.0.0';
export const SESSION_VERSION = 1;

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** One per run: what went in, what came out, how it ended. Hashes are sha256 over JSON. */
export const RunReceipt = z.object({
  type: z.literal('receipt.run'),
  cf_sky_version: z.string(),
  thread_id: ThreadId,
  run_id: RunId,
  input_hash: hash,
  output_hash: hash,
  model_config_id: z.string(),
  started_at: z.string(),
  completed_at: z.string(),
  duration_ms: z.number(),
  status: z.enum(['completed', 'error', 'stopped', 'superseded', 'handoff', 'lost']),
  /** The seq of the event that ended the run, and whether the runner saw it (an exit, a gate) or the agent claimed it. */
  ended_by: z.int(),
  verified: z.boolean(),
  events: z.int(),
  /** What the gateway metered of the run's calls, as far as it had settled when the run ended. */
  calls: z.int().min(0).optional(),
  tokens: TokenCounts.optional(),
  /** Null: a model had no known price. */
  cost_usd: z.number().min(0).nullable().optional(),
  /** Some of the counts are upper bounds. */
  estimated: z.boolean().optional(),
  /** The gate that ended the run. */
  gate: z
    .object({
      passed: z.boolean(),
      commit: CommitHash.nullable(),
      clean: z.boolean(),
      checks: z.array(GateCheck.omit({ tail: true })),
    })
    .optional(),
});
export type RunReceipt = z.infer<typeof RunReceipt>;

/** One per tool call or command. */
export const ToolReceipt = z.object({
  type: z.literal('receipt.tool'),
  cf_sky_version: z.string(),
  thread_id: ThreadId,
  run_id: RunId.nullable(),
  step_id: StepId,
  tool_name: z.string(),
  args_hash: hash,
  output_hash: hash,
  duration_ms: z.number(),
  status: z.enum(['completed', 'error']),
  verified: z.boolean(),
});
export type ToolReceipt = z.infer<typeof ToolReceipt>;

export const Receipt = z.discriminatedUnion('type', [RunReceipt, ToolReceipt]);
export type Receipt = z.infer<typeof Receipt>;
