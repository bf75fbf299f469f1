import { redactorOf } from '@filepath/protocol';
import { at } from './meter/usage.ts';

const MAX_BODY = 256 * 1024;
const MAX_WORDS = 2048;
const LONGEST_SECRET = 4096;

export const REDIRECTED =
  'The provider sends this request on to another address. A person sets its base URL to that address.';

export const isRedirect = ({ status }: Response): boolean => status >= 300 && status < 400;

/** The body of an error, without what is secret: some providers repeat the key that they refuse. */
export async function failureOf({ body }: Response, secrets: readonly string[]): Promise<string> {
  // Cut last, so that no part of a secret is left at the end.
  return redactorOf(secrets)(await textOf(body)).slice(0, MAX_BODY);
}

/** A failure that is told in the middle of an answer. */
export function withoutSecrets<T extends { readonly error: string | null }>(
  reading: T,
  secrets: readonly string[],
): T {
  return reading.error === null
    ? reading
    : { ...reading, error: redactorOf(secrets)(reading.error) };
}

/** Whole: providers say in a few lines what is wrong. What is longer is cut. */
async function textOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (!body) return '';
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_BODY + LONGEST_SECRET) break;
    }
  } catch {
    // What came before it broke off is what there is to tell.
  }
  return text;
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

const NUMBER = /^\d+(\.\d+)?$/;

/** When to try again, in seconds from now: a number, or a date. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const milliseconds = headers.get('retry-after-ms') ?? '';
  const text = headers.get('retry-after') ?? '';
  const seconds = NUMBER.test(milliseconds)
    ? Number(milliseconds) / 1000
    : NUMBER.test(text)
      ? Number(text)
      : (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds), 1e9);
}
