import { type ErrorBody, FilepathError } from '@filepath/protocol';

/**
 * The answer of an object. Errors cross the boundary between objects as values: an exception would arrive there
 * without its code.
 */
export type Result<T> = { ok: true; value: T } | { ok: false; error: ErrorBody['error'] };

export function attempt<T>(work: () => T): Result<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof FilepathError) return { ok: false, error: error.toBody().error };
    throw error;
  }
}

export async function attemptLater<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof FilepathError) return { ok: false, error: error.toBody().error };
    throw error;
  }
}

export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  const { code, message, details } = result.error;
  throw new FilepathError(code, message, details);
}

export const notFound = (what: string): FilepathError =>
  new FilepathError('not_found', `${what} does not exist`);
