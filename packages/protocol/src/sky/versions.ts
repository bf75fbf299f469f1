import { z } from 'zod';

/** The version of Sky that is written: of events, messages, receipts and memory. It grows by optional keys within a major. */
export const CF_SKY_VERSION = '1.1.0';
/** The version of a transcript as a whole. */
export const SESSION_VERSION = 1;

export const SkyVersion = z
  .string()
  .max(32)
  .regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/, 'expected a version like 1.0.0');

export const SessionVersion = z.int().min(1).max(1_000_000);

/** What was written by this version or an earlier one is read; of a later one nothing is guessed. */
export function isReadable(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [ourMajor = 0, ourMinor = 0] = CF_SKY_VERSION.split('.').map(Number);
  return major < ourMajor || (major === ourMajor && minor <= ourMinor);
}
