import { log } from '../http/log.ts';

/** A write for every request would be too many: once a minute says enough. */
const EVERY_MS = 60_000;
const MOST = 1000;
const written = new Map<string, number>();

/** Notes that something was used now. That it cannot be noted is no reason to refuse its use. */
export async function noteUse(
  what: string,
  write: (at: Date) => PromiseLike<unknown>,
): Promise<void> {
  const now = Date.now();
  if (Math.abs(now - (written.get(what) ?? 0)) < EVERY_MS) return;
  if (written.size >= MOST) written.clear();
  written.set(what, now);
  try {
    await write(new Date(now));
  } catch {
    log('warn', 'last use not stored', { what });
  }
}
