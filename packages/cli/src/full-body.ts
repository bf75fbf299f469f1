import { BlobRef, FilepathError, type LogEvent } from '@filepath/protocol';

const TIMEOUT_MS = 30_000;

/** The body of an event as the agent said it, also where the log only refers to it. */
export async function fullBody(
  event: LogEvent,
  instance: { url: string; token: string },
): Promise<string> {
  const ref = BlobRef.safeParse(event.body);
  if (!ref.success) return JSON.stringify(event.body);
  const sha256 = ref.data.ref.slice(-64);
  const response = await fetch(
    new URL(`/api/thread/${event.thread}/blob/${sha256}`, instance.url),
    {
      headers: { authorization: `Bearer ${instance.token}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    },
  );
  if (response.status === 404) return JSON.stringify(event.body);
  if (!response.ok) {
    throw new FilepathError('unavailable', `The body of event ${event.seq} could not be read.`);
  }
  return JSON.stringify(await response.json());
}
