import type { StopOrder } from '@filepath/protocol';
import { z } from 'zod';
import { readJson, writeDurable } from '../files.ts';

const Stop = z.strictObject({
  at: z.number(),
  graceMs: z.int().min(0).max(600_000),
  /** Another process takes its place. */
  handoff: z.literal(true).optional(),
});
type Stop = z.infer<typeof Stop>;

/** A stop that was ordered. The first order counts, so that a repeated one does not prolong the grace. */
export function readStop(path: string): Stop | null {
  return Stop.nullable().catch(null).parse(readJson(path));
}

export async function recordStop(
  path: string,
  { graceMs, handoff }: Pick<StopOrder, 'graceMs' | 'handoff'>,
): Promise<Stop> {
  const known = readStop(path);
  if (known !== null) return known;
  const stop: Stop = { at: Date.now(), graceMs, ...(handoff && { handoff }) };
  await writeDurable(path, JSON.stringify(stop));
  return stop;
}

/** How much of the grace is left. */
export function graceLeft(stop: Stop): number {
  return Math.min(stop.graceMs, Math.max(0, stop.at + stop.graceMs - Date.now()));
}
