import { FilepathError } from '@filepath/protocol';

/** Something the person who starts filepath can act on: one sentence, shown without a stack. */
export class EngineError extends FilepathError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super('unavailable', message);
    this.cause = options.cause;
  }
}

export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code;
  return 'unknown error';
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(codeOf(error));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
