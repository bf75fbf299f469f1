import type { WireFormat } from '@filepath/protocol';

/** Why the gateway answers itself. Clients retry 408, 409, 429 and 5xx by themselves, and nothing else. */
export type Problem =
  | 'unauthenticated'
  | 'bad_request'
  | 'not_found'
  | 'too_large'
  | 'refused'
  | 'busy'
  | 'unreachable'
  | 'timeout';

const STATUS: Record<Problem, number> = {
  unauthenticated: 401,
  bad_request: 400,
  not_found: 404,
  too_large: 413,
  // As Anthropic says that credit is used up: every client stops at a 400 and shows the words.
  refused: 400,
  busy: 429,
  unreachable: 502,
  timeout: 504,
};

const ANTHROPIC_TYPE: Record<Problem, string> = {
  unauthenticated: 'authentication_error',
  bad_request: 'invalid_request_error',
  not_found: 'not_found_error',
  too_large: 'request_too_large',
  refused: 'invalid_request_error',
  busy: 'rate_limit_error',
  unreachable: 'api_error',
  timeout: 'timeout_error',
};

const OPENAI_TYPE: Record<Problem, string> = {
  unauthenticated: 'authentication_error',
  bad_request: 'invalid_request_error',
  not_found: 'invalid_request_error',
  too_large: 'invalid_request_error',
  refused: 'invalid_request_error',
  busy: 'rate_limit_error',
  unreachable: 'server_error',
  timeout: 'server_error',
};

function bodyOf(format: WireFormat, problem: Problem, message: string, code: string): object {
  return format === 'anthropic'
    ? { type: 'error', error: { type: ANTHROPIC_TYPE[problem], message } }
    : { error: { message, type: OPENAI_TYPE[problem], param: null, code } };
}

/** The same as the last event of a stream. */
export function errorEvent(format: WireFormat, message: string): Uint8Array {
  const code = 'unreachable';
  const body =
    format === 'openai-responses'
      ? { type: 'error', code, message, param: null }
      : bodyOf(format, code, message, code);
  const name = format === 'openai-chat' ? '' : 'event: error\n';
  // What came before may have ended anywhere.
  return new TextEncoder().encode(`\n\n${name}data: ${JSON.stringify(body)}\n\n`);
}

/** An answer of the gateway's own, in the words in which the provider would have said it. */
export function providerError(
  format: WireFormat,
  problem: Problem,
  message: string,
  code: string = problem,
): Response {
  const body = bodyOf(format, problem, message, code);
  const status = STATUS[problem];
  const retry = status === 429 || status >= 500;
  return Response.json(body, {
    status,
    headers: {
      'x-should-retry': String(retry),
      ...(problem === 'busy' ? { 'retry-after': '2' } : {}),
    },
  });
}
