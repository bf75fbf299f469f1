import { isoTime } from '../driver/iso-time.ts';
import type { TurnEnd } from '../driver/program.ts';
import type { ResultLine, SystemLine } from './lines.ts';

/** How a turn ended, by the CLI's last word on it. `until`: the end of a limit that it told of in this turn. */
export function endOf(result: ResultLine | null, until?: string): TurnEnd {
  if (!result) return { how: 'done' };
  if (result.terminal_reason === 'prompt_too_long') return { how: 'handoff' };
  if (result.terminal_reason?.startsWith('aborted') === true) return { how: 'interrupted' };
  const failed = result.is_error === true || (result.subtype ?? 'success') !== 'success';
  if (!failed) return { how: 'done' };
  const words = result.result ?? result.errors?.join('; ') ?? result.subtype ?? 'no reason given';
  if (/prompt is too long/i.test(words)) return { how: 'handoff' };
  if (result.api_error_status === 429 || until !== undefined) {
    return {
      how: 'failed',
      reason: `rate limited: ${words}`,
      ...(until !== undefined && { until }),
    };
  }
  return { how: 'failed', reason: words };
}

type RateLimit = { status?: string | undefined; resetsAt?: number | undefined };

/** What a status says of a limit that the provider told of. */
export function rateLimited(limit: RateLimit): { reason?: string; until?: string } {
  if (limit.status === undefined || limit.status === 'allowed') return {};
  // Short of a rejection it goes on working: there is nothing to wait for.
  if (limit.status !== 'rejected') return { reason: `rate limit: ${limit.status}` };
  return { reason: 'rate limited', ...untilOf((limit.resetsAt ?? 0) * 1000) };
}

type Retry = Pick<SystemLine, 'attempt' | 'max_retries' | 'retry_delay_ms' | 'error_status'>;

/** What a status says of a call that the CLI makes again. */
export function retrying(line: Retry): { reason: string; until?: string } {
  const { attempt = 0, max_retries: max = 0, retry_delay_ms: delay, error_status: status } = line;
  const what = status === 429 ? 'rate limited' : `the model answered ${status ?? 'nothing'}`;
  const reason = `${what}: trying again (${attempt} of ${max})`;
  return { reason, ...(delay !== undefined && untilOf(Date.now() + delay)) };
}

function untilOf(ms: number): { until?: string } {
  const until = isoTime(ms);
  return until === undefined ? {} : { until };
}
