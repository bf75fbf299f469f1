import { z } from 'zod';
import { ask, call } from './api.ts';

/** Cookie pairs that a browser would send back. */
export const cookieOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .join('; ');

/** A browser in which the owner is signed in; gives the headers of its requests. */
export async function newBrowser(userAgent = 'Test/1.0') {
  const { url } = z.object({ url: z.url() }).parse(await ask(201, 'POST', '/api/auth/link'));
  const { pathname, search } = new URL(url);
  const answer = await call(`${pathname}${search}`, { headers: { 'user-agent': userAgent } });
  return { cookie: cookieOf(answer) };
}
