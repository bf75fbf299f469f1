import type { ErrorWords } from './format.ts';

const ERRORS: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  400: ['invalid_request_error', null],
  401: ['invalid_request_error', 'invalid_api_key'],
  403: ['invalid_request_error', 'unsupported_country_region_territory'],
  404: ['invalid_request_error', 'model_not_found'],
  429: ['rate_limit_error', 'rate_limit_exceeded'],
};

/** The error's body, for Chat Completions and Responses. */
export function openaiError({ status, message, overflow }: ErrorWords): unknown {
  if (overflow) {
    return {
      error: {
        message:
          "This model's maximum context length is 200000 tokens. However, your messages resulted in 212345 tokens. Please reduce the length of the messages.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    };
  }
  const [type, code] = ERRORS[status] ?? ['server_error', null];
  return { error: { message, type, param: null, code } };
}
