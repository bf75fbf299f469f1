import { ErrorCode, FilepathError } from '@filepath/protocol';
import { redact, secretsOf } from '../auth/redact.ts';
import type { Env } from '../env.ts';
import { log } from './log.ts';

/** Any failure as the API's error: known ones as they are, all others without their insides. */
export function errorResponse(error: unknown, env: Env, request: Request): Response {
  const known = knownError(error);
  if (known) return Response.json(known.toBody(), { status: known.status });
  const ref = crypto.randomUUID();
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log('error', 'request failed', {
    ref,
    method: request.method,
    path: new URL(request.url).pathname,
    error: redact(detail, secretsOf(env)),
  });
  const hidden = new FilepathError(
    'internal',
    'Something failed here. Try again; the log has the details under this reference.',
    { ref },
  );
  return Response.json(hidden.toBody(), { status: hidden.status });
}

/** Errors lose their class on the way out of a Durable Object; the code tells them. */
function knownError(error: unknown): FilepathError | null {
  if (error instanceof FilepathError) return error;
  if (!(error instanceof Error)) return null;
  if ('overloaded' in error && error.overloaded === true)
    return new FilepathError(
      'unavailable',
      'Too much is going on here at once. Try again shortly.',
    );
  const code = 'code' in error ? ErrorCode.safeParse(error.code) : null;
  if (error.name !== 'FilepathError' || !code?.success) return null;
  return new FilepathError(
    code.data,
    error.message,
    'details' in error ? error.details : undefined,
  );
}
