import { redactorOf } from '@filepath/protocol';
import { at } from './meter/usage.ts';

const MAX_BODY = 256 * 1024;
const MAX_WORDS = 2048;

export const REDIRECTED =
  'The provider sends this request on to another address. A person sets its base URL to that address.';

export const isRedirect = ({ status }: Response): boolean => status >= 300 && status < 400;

/** The body of an error, without what is secret: some providers repeat the key that they refuse. */
export async function failureOf({ body }: Response, secrets: readonly string[]): Promise<string> {
  return redactorOf(secrets)(await textOf(body));
}

/** Whole: providers say in a few lines what is wrong. What is longer is cut. */
async function textOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (!body) return '';
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_BODY) break;
    }
  } catch {
    // What came before it broke off is what there is to tell.
  }
  return text.slice(0, MAX_BODY);
}

/** The provider's own words for what went wrong. */
export function wordsOf(body: string): string {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Proxies in front of providers answer with pages.
  }
  const message = at(parsed, 'error', 'message') ?? at(parsed, 'message') ?? at(parsed, 'error');
  return (typeof message === 'string' ? message : body).trim().slice(0, MAX_WORDS);
}

/** When to try again, in seconds from now: a number, or a date. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds / 1000;
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), 1e9) : undefined;
}
