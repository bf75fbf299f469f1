import type { GatewayCall, GatewayRefused, RefusalCode } from '../gateway/events.ts';
import type { NoticeBlock } from './block.ts';

type Notice = Pick<NoticeBlock, 'level' | 'text' | 'detail'>;

/** Notices with the same key that follow on each other are shown as one, with their number. */
export type GatewayNotice = {
  readonly key: string;
  readonly count: number;
  readonly show: (count: number) => Notice;
};

/** What went wrong with a call, for a person; null where nothing did. */
export function callNotice(call: GatewayCall, at: string): GatewayNotice | null {
  const { outcome, status, provider, model, error, retryAfterSeconds } = call;
  const detail = error ?? null;
  if (outcome === 'failed' && (status === 429 || retryAfterSeconds !== undefined)) {
    const until = retryAfterSeconds === undefined ? '' : `, until ${clock(at, retryAfterSeconds)}`;
    return {
      key: `limit ${provider}`,
      count: 1,
      show: (count) => ({
        level: 'warn',
        text: `${provider} limits the rate of calls${times(count)}${until}`,
        detail,
      }),
    };
  }
  if (outcome !== 'failed' && outcome !== 'cut') return null;
  const how = outcome === 'cut' ? 'broke off' : status === null ? 'failed' : `failed (${status})`;
  return {
    key: `${outcome} ${model} ${status}`,
    count: 1,
    show: (count) => ({ level: 'warn', text: `call to ${model} ${how}${times(count)}`, detail }),
  };
}

const WHY: Record<RefusalCode, string> = {
  budget: 'not enough budget is left',
  no_price: 'its price is not known',
  no_provider: 'no provider answers for it',
  too_large: 'it is too large',
  concurrency: 'too many calls are under way',
  provider_down: 'its provider cannot be reached',
};

/** A person has to change something before such a call can succeed. */
const STUCK: ReadonlySet<RefusalCode> = new Set(['budget', 'no_price', 'no_provider']);

export function refusalNotice(body: GatewayRefused): GatewayNotice {
  const { model, code, scope, message, count } = body;
  return {
    key: `refused ${code} ${scope ?? ''}`,
    count,
    show: (sum) => ({
      level: STUCK.has(code) ? 'error' : 'warn',
      text: `call to ${model === '' ? 'a model' : model} refused${times(sum)}: ${WHY[code]}`,
      detail: message,
    }),
  };
}

function times(count: number): string {
  return count === 1 ? '' : ` (${count} times)`;
}

const MAX_TIME = 8.64e15;

function clock(at: string, seconds: number): string {
  const end = Date.parse(at) + seconds * 1000;
  if (!(end <= MAX_TIME)) return 'an unknown time';
  return `${new Date(end).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
