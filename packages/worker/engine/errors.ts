/** Something the person who starts filepath can act on: one sentence, shown without a stack. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    codes.includes(error.code)
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
