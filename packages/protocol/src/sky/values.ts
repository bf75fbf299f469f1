import { z } from 'zod';
import { LIMITS } from '../limits.ts';

/** Values that several of Sky's formats have. */
export const Hash = z.string().regex(/^[0-9a-f]{64}$/);
export const SkyText = z.string().max(LIMITS.frame);
export const ModelConfigId = z.string().max(256);
export const ToolCallId = z.string().min(1).max(256);
export const ToolName = z.string().min(1).max(128);
export const SkyErrorCode = z.string().min(1).max(64);
/** As the AI SDK gives it: a message's id need not be one of ours. */
export const SkyMessageId = z.string().min(1).max(256);
export const Milliseconds = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
/** Where a tool ran: in the worker, in a container, on the user's own machine. */
export const ExecutorKind = z.enum(['workers', 'container', 'tunnel']);
export type ExecutorKind = z.infer<typeof ExecutorKind>;
