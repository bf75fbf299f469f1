import { HANDED_HEADER } from '@filepath/protocol';
import { json } from '../http/route.ts';

/** An answer that its runner tells us of when the agent has it. */
export function passOn(body: unknown, handed: string | null): Response {
  return json(body, 200, handed === null ? {} : { [HANDED_HEADER]: handed });
}

/** Asks for something that takes its time; where whoever asked leaves before, it is broken off by the id that it has. */
export async function whileThere<T>(
  { request, ctx }: { readonly request: Request; readonly ctx: ExecutionContext },
  ask: (id: string) => Promise<T>,
  breakOff: (id: string) => Promise<unknown>,
): Promise<T> {
  const id = crypto.randomUUID();
  const asked = ask(id);
  const leave = (): void => ctx.waitUntil(breakOff(id).catch(() => undefined));
  request.signal.addEventListener('abort', leave);
  if (request.signal.aborted) leave();
  // A request whose client has left is ended: what is to be said then needs it.
  ctx.waitUntil(asked.catch(() => undefined));
  try {
    return await asked;
  } finally {
    request.signal.removeEventListener('abort', leave);
  }
}
