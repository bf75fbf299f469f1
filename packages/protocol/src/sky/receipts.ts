import { z } from 'zod';
import { TokenCounts } from '../gateway/usage.ts';
import { CommitHash } from '../git/commit-hash.ts';
import { RunId, StepId, ThreadId } from '../ids.ts';
import { GateCheck } from '../thread/gates.ts';
import {
  ExecutorKind,
  Hash,
  Milliseconds,
  ModelConfigId,
  SkyErrorCode,
  ToolCallId,
} from './values.ts';
import { SkyVersion } from './versions.ts';

/** One per run: what went in, what came out, how it ended. Hashes are sha256 over JSON. */
export const RunReceipt = z.strictObject({
  type: z.literal('receipt.run'),
  cf_sky_version: SkyVersion,
  thread_id: ThreadId,
  run_id: RunId,
  input_hash: Hash,
  output_hash: Hash,
  model_config_id: ModelConfigId,
  started_at: z.iso.datetime(),
  completed_at: z.iso.datetime(),
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
  /** From the message to the first piece of the answer. */
  ttft_ms: Milliseconds.optional(),
  error_code: SkyErrorCode.optional(),
});
export type RunReceipt = z.infer<typeof RunReceipt>;

/** What `edit` and `write` did to a file: sha256 over its bytes before and after, and over the patch between them. */
export const FileChange = z.strictObject({
  path: z.string().min(1).max(4096),
  /** Null: there was no such file. */
  input_hash: Hash.nullable(),
  patch_hash: Hash,
  output_hash: Hash,
});
export type FileChange = z.infer<typeof FileChange>;

/** What the machine that ran a tool says of it, under its own key: Ed25519, the key its 32 raw bytes, in base64. */
export const LocalSignature = z.strictObject({
  public_key: z.string().length(44),
  signature: z.string().length(88),
  /** The text that is signed: JSON of a report. */
  claim: z.string().min(2).max(16_384),
});
export type LocalSignature = z.infer<typeof LocalSignature>;

/** One per tool call or command. */
export const ToolReceipt = z.strictObject({
  type: z.literal('receipt.tool'),
  cf_sky_version: SkyVersion,
  thread_id: ThreadId,
  run_id: RunId.nullable(),
  step_id: StepId,
  tool_name: z.string(),
  args_hash: Hash,
  output_hash: Hash,
  duration_ms: z.number(),
  status: z.enum(['completed', 'error']),
  verified: z.boolean(),
  tool_call_id: ToolCallId.optional(),
  started_at: z.iso.datetime().optional(),
  executor: ExecutorKind.optional(),
  /** The same arguments give the same output: the call can be replayed. */
  deterministic: z.boolean().optional(),
  error_code: SkyErrorCode.optional(),
  change: FileChange.optional(),
  /** From a tunnel. */
  local: LocalSignature.optional(),
});
export type ToolReceipt = z.infer<typeof ToolReceipt>;

export const Receipt = z.discriminatedUnion('type', [RunReceipt, ToolReceipt]);
export type Receipt = z.infer<typeof Receipt>;
