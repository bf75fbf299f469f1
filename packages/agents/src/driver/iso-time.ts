/** The last time that has a date. */
const LAST_MS = 8.64e15;

/** A time of a program, as epoch milliseconds, if it has a date after the first. */
export function isoTime(ms: number): string | undefined {
  return ms > 0 && ms <= LAST_MS ? new Date(ms).toISOString() : undefined;
}
