import { FilepathError } from '@filepath/protocol';
import type { Io } from './io.ts';

/** The command was called in a way it does not understand. The message is one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Runs a command. Wrong arguments give one sentence and the usage, exit 2; a refusal by filepath gives its message,
 * exit 1. Anything else is a fault of ours and is thrown.
 */
export async function withUsage(
  io: Io,
  usage: string,
  run: () => Promise<number>,
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError || isParseError(error)) {
      io.err(firstSentence(error.message));
      io.err(usage);
      return 2;
    }
    if (error instanceof FilepathError) {
      io.err(error.message);
      return 1;
    }
    throw error;
  }
}

/** `parseArgs` explains at length; its first sentence says what is wrong. */
function firstSentence(message: string): string {
  const [first = message] = message.split(/\.(?:\s|$)/, 1);
  return `${first}.`;
}

function isParseError(error: unknown): error is Error & { code: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('ERR_PARSE_ARGS_')
  );
}

/** What is named by ids: at least one, and each of them an id of its kind. */
export function checkIds(
  ids: readonly string[],
  isId: (id: string) => boolean,
  { none, kind }: { none: string; kind: string },
): void {
  if (ids.length === 0) throw new UsageError(none);
  const wrong = ids.find((id) => !isId(id));
  if (wrong !== undefined) throw new UsageError(`${wrong} is no id of a ${kind}.`);
}
