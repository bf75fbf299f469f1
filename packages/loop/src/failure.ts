import { APICallError, StreamProviderError } from 'ai';

/** Why a call of a model failed, and what to do about it. */
export type Failure = {
  readonly kind: 'overflow' | 'transient' | 'final';
  readonly reason: string;
  /** When the provider asked to try again, as epoch milliseconds. Of what is not tried again: when it may be. */
  readonly retryAt?: number;
  /** Nobody was there who could answer. That passes. */
  readonly away?: true;
};

export function failureOf(error: unknown): Failure {
  const message = messageOf(error);
  if (OVERFLOW.test(message)) return { kind: 'overflow', reason: message };
  if (APICallError.isInstance(error)) {
    return {
      kind: again(error, message) ? 'transient' : 'final',
      reason: `${statusText(error.statusCode)}${message}`,
      ...retryAt(error.responseHeaders),
      ...(unanswered(error) ? { away: true } : {}),
    };
  }
  if (StreamProviderError.isInstance(error)) {
    const retry = error.isRetryable || TRANSIENT_TYPES.test(`${error.type} ${error.code}`);
    return { kind: retry ? 'transient' : 'final', reason: message };
  }
  return { kind: connectionLost(error) ? 'transient' : 'final', reason: message };
}

/** The words in which providers say that a prompt does not fit. */
const OVERFLOW =
  /prompt is too long|context[_ ]length[_ ]exceeded|maximum context length|context window|input is too long|too many input tokens|exceeds? the (maximum|available) context|request_too_large/i;

const TRANSIENT_TYPES = /overloaded|rate_limit|server_error|api_error|timeout|unavailable/i;

/** A quota that is used up answers 429 too, and no waiting helps. */
const USED_UP = /insufficient_quota|exceeded your current quota|billing/i;

function again({ statusCode: status, responseHeaders }: APICallError, message: string): boolean {
  const told = responseHeaders?.['x-should-retry'];
  if (told === 'true' || told === 'false') return told === 'true';
  // No answer, or one that broke off after it had begun well.
  if (status === undefined || status < 400) return true;
  if (status === 429) return !USED_UP.test(message);
  return status === 408 || status === 409 || status >= 500;
}

/** Says whoever stands between: the runner, whose gateway is away. */
const unanswered = ({ statusCode, responseHeaders }: APICallError): boolean =>
  statusCode === undefined || responseHeaders?.['x-filepath-away'] !== undefined;

function statusText(status: number | undefined): string {
  return status === undefined || status < 400 ? '' : `${status}: `;
}

type Headers = Readonly<Record<string, string>> | undefined;

/** A time span counts from when it is read: the gateway says the time itself, to who may have been held still since. */
function retryAt(headers: Headers): { retryAt?: number } {
  const told = Date.parse(headers?.['x-filepath-retry-at'] ?? '');
  const counted = Date.now() + retryAfterMs(headers);
  const at = [told, counted].filter((time) => !Number.isNaN(time));
  return at.length === 0 ? {} : { retryAt: Math.min(...at) };
}

/** About thirty years. A time beyond has no date. */
const LONGEST_MS = 1e12;

function retryAfterMs(headers: Headers): number {
  const ms = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (ms >= 0) return Math.min(ms, LONGEST_MS);
  const after = headers?.['retry-after'];
  if (after === undefined) return Number.NaN;
  const seconds = Number(after);
  if (seconds >= 0) return Math.min(seconds * 1000, LONGEST_MS);
  return Math.max(0, Date.parse(after) - Date.now());
}

const BROKEN: ReadonlySet<string> = new Set([
  'TimeoutError',
  'AI_NoOutputGeneratedError',
  'AI_InvalidResponseDataError',
]);

/** The stream or the connection broke, in the words of fetch, of Node and of workerd; or an answer that ended too soon. */
function connectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (BROKEN.has(error.name)) return true;
  if (error instanceof TypeError) {
    return /fetch|network|terminated|connection|socket/i.test(error.message);
  }
  return (
    /ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|UND_ERR|socket hang up|other side closed|terminated|Network connection lost/i.test(
      `${error.message} ${String(Reflect.get(error, 'code') ?? '')}`,
    ) ||
    (error.cause instanceof Error && connectionLost(error.cause))
  );
}

const MOST = 2_000;

function messageOf(error: unknown): string {
  const body = APICallError.isInstance(error) ? bodyMessage(error.responseBody) : null;
  const text = body ?? (error instanceof Error ? error.message : JSON.stringify(error));
  return (text || 'the call failed without a word').slice(0, MOST);
}

/** All three formats say `{error: {message, type, code}}`. The SDK's own message leaves the code out. */
function bodyMessage(body: string | undefined): string | null {
  try {
    const error: unknown = Reflect.get(JSON.parse(body ?? '') as object, 'error');
    if (typeof error !== 'object' || error === null) return null;
    const [message, code, type] = ['message', 'code', 'type'].map((key): unknown =>
      Reflect.get(error, key),
    );
    if (typeof message !== 'string') return null;
    const word = [code, type].find((value) => typeof value === 'string');
    return typeof word === 'string' && !message.includes(word) ? `${message} (${word})` : message;
  } catch {
    return null;
  }
}
