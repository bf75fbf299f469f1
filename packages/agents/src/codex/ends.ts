import { z } from 'zod';
import { isoTime } from '../driver/iso-time.ts';
import type { TurnEnd } from '../driver/program.ts';
import type { Notifications, TurnError } from './notifications.ts';

/** How a turn ended, by `turn/completed`. */
export function endOf(
  { turn }: Notifications['turn/completed'],
  limits?: Notifications['account/rateLimits/updated'],
): TurnEnd {
  if (turn.status === 'interrupted') return { how: 'interrupted' };
  if (turn.status !== 'failed') return { how: 'done' };
  const { error } = turn;
  if (!error) return { how: 'failed', reason: 'the turn failed without a reason' };
  if (isOverflow(error)) return { how: 'handoff' };
  const reason = wordsOf(error.message);
  if (!isRateLimit(error)) return { how: 'failed', reason };
  const until = limits === undefined ? undefined : usedUpUntil(limits);
  return {
    how: 'failed',
    reason: `rate limited: ${reason}`,
    ...(until !== undefined && { until }),
  };
}

/** When the last window ends that is used up. */
function usedUpUntil({
  rateLimits: { primary, secondary },
}: Notifications['account/rateLimits/updated']): string | undefined {
  const ends = [primary, secondary].flatMap((window) =>
    window && window.usedPercent >= 100 ? [window.resetsAt ?? 0] : [],
  );
  return isoTime(Math.max(0, ...ends) * 1000);
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
