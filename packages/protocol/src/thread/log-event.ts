import { z } from 'zod';
import { RunId, StepId, ThreadId } from '../ids.ts';

export const Source = z.enum([
  'user',
  'parent',
  'system',
  'fap',
  'wsi',
  'sky',
  'chat',
  'runner',
  'gateway',
]);
export type Source = z.infer<typeof Source>;

/** One row of a thread. The body keeps the words of the protocol it came from. */
export const LogEvent = z.object({
  seq: z.int().min(1),
  thread: ThreadId,
  run: RunId.nullable(),
  step: StepId.nullable(),
  event: z.int().min(0),
  at: z.iso.datetime(),
  source: Source,
  body: z.unknown(),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'expected a sha256 in hex'),
});
export type LogEvent = z.infer<typeof LogEvent>;

/** What only the runner and the gateway say counts as verified; the rest is a claim. */
export function isVerified(source: Source): boolean {
  return source === 'runner' || source === 'gateway';
}

export function encodeLogEvent(event: LogEvent): string {
  return JSON.stringify(event);
}

export function decodeLogEvent(text: string): LogEvent {
  return LogEvent.parse(JSON.parse(text));
}
