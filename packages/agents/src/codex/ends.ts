import { z } from 'zod';
import type { TurnEnd } from '../driver/program.ts';
import type { Notifications, TurnError } from './notifications.ts';

/** How a turn ended, by `turn/completed`. */
export function endOf({ turn }: Notifications['turn/completed']): TurnEnd {
  if (turn.status === 'interrupted') return { how: 'interrupted' };
  if (turn.status !== 'failed') return { how: 'done' };
  const { error } = turn;
  if (!error) return { how: 'failed', reason: 'the turn failed without a reason' };
  if (isOverflow(error)) return { how: 'handoff' };
  const reason = wordsOf(error.message);
  return { how: 'failed', reason: isRateLimit(error) ? `rate limited: ${reason}` : reason };
}

/** What a status says while codex tries again. */
export function retrying(error: TurnError): { reason: string } {
  const what = isRateLimit(error) ? 'rate limited' : 'the model failed';
  return { reason: `${what}: ${wordsOf(error.message)}` };
}

/** codex knows an overflow by its code in a stream; one that is answered by a status it hands on as text. */
function isOverflow({ message, codexErrorInfo }: TurnError): boolean {
  return (
    codexErrorInfo === 'contextWindowExceeded' ||
    /context_length_exceeded|maximum context length|exceeds the context window/.test(message)
  );
}

function isRateLimit({ message, codexErrorInfo: info }: TurnError): boolean {
  if (info === 'rateLimitExceeded' || info === 'usageLimitExceeded') return true;
  return JSON.stringify(info ?? null).includes('"httpStatusCode":429') || /\b429\b/.test(message);
}

const ProviderError = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** The message of a provider's error that codex quotes as JSON. */
function wordsOf(message: string): string {
  try {
    return ProviderError.parse(JSON.parse(message)).error.message;
  } catch {
    return message;
  }
}
