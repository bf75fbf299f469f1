import type { ServerResponse } from 'node:http';
import type { ErrorWords, Format, Frame } from './format.ts';
import type { ServerFormat } from './request.ts';
import type { ModelFault } from './turn.ts';

type StatusFault = Extract<ModelFault, { kind: 'status' }>;

const MESSAGES: Readonly<Record<StatusFault['status'], string>> = {
  400: 'The request is not understood.',
  401: 'The API key is not valid.',
  403: 'This key may not use this model.',
  404: 'There is no such model.',
  429: 'This request would exceed the rate limit.',
  500: 'Internal server error.',
  503: 'The service is not available.',
  529: 'Overloaded.',
};

/** Headers of a rate limit as the provider of this format names them. */
function limitHeaders(format: ServerFormat, seconds: number): Record<string, string> {
  const reset = new Date(Date.now() + seconds * 1000).toISOString();
  return format === 'anthropic'
    ? {
        'retry-after': String(seconds),
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': reset,
      }
    : {
        'retry-after': String(seconds),
        'x-ratelimit-limit-requests': '50',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': `${seconds}s`,
      };
}

/** The answer in place of a turn, if the fault is one of those. */
export function refusalOf(
  fault: ModelFault | undefined,
  format: ServerFormat,
): { readonly error: ErrorWords; readonly headers: Readonly<Record<string, string>> } | null {
  if (fault?.kind === 'overflow') {
    return { error: { status: 400, message: '', overflow: true }, headers: {} };
  }
  if (fault?.kind !== 'status') return null;
  const { status, message = MESSAGES[status], retryAfterSeconds, headers } = fault;
  const limit = retryAfterSeconds === undefined ? {} : limitHeaders(format, retryAfterSeconds);
  return { error: { status, message, overflow: false }, headers: { ...limit, ...headers } };
}

export function sendError(
  response: ServerResponse,
  format: Format,
  error: ErrorWords,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify(format.error(error));
  response.writeHead(error.status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

/** What is left of a stream's events, and how it ends. */
export type Damaged = { readonly frames: readonly Frame[]; readonly end: 'end' | 'cut' };

export function damage(
  frames: readonly Frame[],
  fault: ModelFault | undefined,
  format: Format,
): Damaged {
  const whole: Damaged = { frames, end: 'end' };
  if (!fault) return whole;
  if (fault.kind === 'no-end') return { frames: frames.slice(0, -1), end: 'end' };
  if (!('after' in fault)) return whole;
  const at = placeOf(frames, fault.after);
  const before = frames.slice(0, at);
  switch (fault.kind) {
    case 'cut':
      return { frames: before, end: 'cut' };
    case 'stop':
      return { frames: before, end: 'end' };
    case 'torn': {
      const text = frames[at]?.text ?? '';
      const half = { part: 'between' as const, text: text.slice(0, Math.ceil(text.length / 2)) };
      return { frames: [...before, half], end: 'end' };
    }
    case 'bad-json': {
      const bad = { part: 'between' as const, text: 'data: {"type":"delta", oh no\n\n' };
      return { frames: [...before, bad, ...frames.slice(at)], end: 'end' };
    }
    case 'error-event':
      return { frames: [...before, format.errorFrame('Overloaded')], end: 'end' };
  }
}

/** Where in the stream `after` deltas are over. */
export function placeOf(frames: readonly Frame[], after: number): number {
  let seen = 0;
  for (const [at, { part }] of frames.entries()) {
    if (part === 'close') return at;
    if (part === 'delta') {
      if (seen === after) return at;
      seen += 1;
    }
  }
  return frames.length;
}
