import { z } from 'zod';

/** Every error that leaves the API carries one of these codes. Status and retryability live here only. */
export const ERRORS = {
  bad_request: { status: 400, retryable: false },
  unauthenticated: { status: 401, retryable: false },
  forbidden_origin: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  conflict: { status: 409, retryable: false },
  cap_reached: { status: 409, retryable: false },
  too_large: { status: 413, retryable: false },
  misdirected_host: { status: 421, retryable: false },
  upgrade_required: { status: 426, retryable: false },
  rate_limited: { status: 429, retryable: true },
  internal: { status: 500, retryable: true },
  unavailable: { status: 503, retryable: true },
} as const;

export type ErrorCode = keyof typeof ERRORS;
export const ErrorCode = z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]);

export const ErrorBody = z.object({
  error: z.object({
    code: ErrorCode,
    message: z.string(),
    details: z.unknown().optional(),
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

/** An error whose message is written for the person who reads it: what happened, to what, what to do next. */
export class FilepathError extends Error {
  readonly code: ErrorCode;
  readonly details?: unknown;

  constructor(code: ErrorCode, message: string, details?: unknown) {
    super(message);
    this.name = 'FilepathError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  toBody(): ErrorBody {
    return {
      error: {
        code: this.code,
        message: this.message,
        ...(this.details === undefined ? {} : { details: this.details }),
      },
    };
  }
}

export const Issue = z.object({ path: z.string(), reason: z.string() });
export type Issue = z.infer<typeof Issue>;

/** Zod's issues as `path` and `reason`, the form in which every rejected input is reported. */
export function issuesOf(error: z.ZodError): Issue[] {
  return error.issues.map((issue) => ({
    path: issue.path.length === 0 ? '(root)' : issue.path.map(String).join('.'),
    reason: issue.message,
  }));
}
