import type { TurnEnd } from '../driver/program.ts';
import type { Notifications, TurnError } from './notifications.ts';

/** How a turn ended, by `turn/completed`. */
export function endOf({ turn }: Notifications['turn/completed']): TurnEnd {
  if (turn.status === 'interrupted') return { how: 'interrupted' };
  if (turn.status !== 'failed') return { how: 'done' };
  const { error } = turn;
  if (!error) return { how: 'failed', reason: 'the turn failed without a reason' };
  if (error.codexErrorInfo === 'contextWindowExceeded') return { how: 'handoff', full: true };
  return {
    how: 'failed',
    reason: isRateLimit(error) ? `rate limited: ${error.message}` : error.message,
  };
}

/** What a status says while codex tries again. */
export function retrying(error: TurnError): { reason: string } {
  return {
    reason: `${isRateLimit(error) ? 'rate limited' : 'the model failed'}: ${error.message}`,
  };
}

function isRateLimit({ message, codexErrorInfo: info }: TurnError): boolean {
  if (info === 'rateLimitExceeded' || info === 'usageLimitExceeded') return true;
  return JSON.stringify(info ?? null).includes('"httpStatusCode":429') || /\b429\b/.test(message);
}
