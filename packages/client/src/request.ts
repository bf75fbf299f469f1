import { ErrorBody, type ErrorCode, ERRORS, FilepathError } from '@filepath/protocol';

const TIMEOUT_MS = 30_000;

export type RequestOptions = {
  body?: unknown;
  /** Sent as it is, in place of a body of JSON. */
  raw?: Blob;
  signal?: AbortSignal | undefined;
  /** Export streams for as long as it takes; everything else is answered within the limit. */
  unbounded?: boolean;
};

export type Send = (method: string, path: string, options?: RequestOptions) => Promise<Response>;

type Target = {
  resolve: (path: string) => string;
  headers: Record<string, string>;
  fetch: typeof fetch;
};

/** Answers with a successful response, or throws a FilepathError; an abort by the caller is thrown as it is. */
export function requester(target: Target): Send {
  return async (method, path, options = {}) => {
    const limits = [options.signal, options.unbounded ? null : AbortSignal.timeout(TIMEOUT_MS)];
    const headers: Record<string, string> = { accept: 'application/json', ...target.headers };
    const { raw } = options;
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    else if (raw) headers['content-type'] = raw.type || 'application/octet-stream';
    let response: Response;
    try {
      response = await target.fetch(target.resolve(path), {
        method,
        headers,
        credentials: 'same-origin',
        signal: AbortSignal.any(limits.filter((one) => one instanceof AbortSignal)),
        ...(raw && { body: raw }),
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      });
    } catch (cause) {
      if (options.signal?.aborted) throw cause;
      throw new FilepathError(
        'unavailable',
        'filepath did not answer. Check that it is running and can be reached, then try again.',
      );
    }
    if (response.ok) return response;
    throw await failure(response, method, path);
  };
}

async function failure(response: Response, method: string, path: string): Promise<FilepathError> {
  const body = ErrorBody.safeParse(await response.json().catch(() => null));
  if (body.success) {
    const { code, message, details } = body.data.error;
    return new FilepathError(code, message, details);
  }
  return new FilepathError(
    codeOf(response.status),
    `filepath answered ${method} ${path} with status ${response.status} and no reason.`,
  );
}

function codeOf(status: number): ErrorCode {
  const known = Object.entries(ERRORS).find(([, error]) => error.status === status);
  if (known) return known[0] as ErrorCode;
  return status >= 500 ? 'unavailable' : 'bad_request';
}
