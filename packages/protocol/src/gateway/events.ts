import { z } from 'zod';
import { CallId } from '../ids.ts';
import { TokenCounts } from './usage.ts';

/** The protocols that the gateway reads. */
export const WireFormat = z.enum(['anthropic', 'openai-chat', 'openai-responses']);
export type WireFormat = z.infer<typeof WireFormat>;

/** A call to a model, metered. Bodies of events with source `gateway`, one for each call that was let through. */
export const GatewayCall = z.strictObject({
  type: z.literal('call'),
  call: CallId,
  format: WireFormat,
  provider: z.string().max(64),
  model: z.string().max(200),
  /** How it ended: `failed` is the provider's own error, `cut` a stream that broke off, `cancelled` one the agent left. */
  outcome: z.enum(['completed', 'failed', 'cut', 'cancelled']),
  /** Of the provider's answer. Null: there was none. */
  status: z.int().nullable(),
  tokens: TokenCounts,
  /** Null: the model has no known price. */
  costUsd: z.number().min(0).nullable(),
  /** The count is an upper bound. */
  estimated: z.boolean(),
  startedAt: z.iso.datetime(),
  firstByteMs: z.number().min(0).nullable(),
  durationMs: z.number().min(0),
  /** In the provider's words, shortened. */
  error: z.string().max(2048).optional(),
  /** When a rate limit ends, as far as the provider said. */
  retryAfterSeconds: z.number().min(0).optional(),
});
export type GatewayCall = z.infer<typeof GatewayCall>;

/** Why a call was not let through. */
export const RefusalCode = z.enum([
  'budget',
  'no_price',
  'no_provider',
  'too_large',
  'concurrency',
  'provider_down',
]);
export type RefusalCode = z.infer<typeof RefusalCode>;

/** A call that was refused before anything was sent. Refusals that repeat within seconds are told once, with their count. */
export const GatewayRefused = z.strictObject({
  type: z.literal('refused'),
  call: CallId,
  format: WireFormat,
  model: z.string().max(200),
  code: RefusalCode,
  /** For a person: what happened, and what to change. */
  message: z.string().max(1024),
  /** Whose budget it was: a node's id, `session` or `user`. */
  scope: z.string().max(64).optional(),
  count: z.int().min(1),
});
export type GatewayRefused = z.infer<typeof GatewayRefused>;

export const GatewayBody = z.discriminatedUnion('type', [GatewayCall, GatewayRefused]);
export type GatewayBody = z.infer<typeof GatewayBody>;
