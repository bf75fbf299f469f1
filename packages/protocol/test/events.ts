import { createHash } from 'node:crypto';
import {
  chainHash,
  GENESIS,
  type LogEvent,
  newThreadId,
  type RunId,
  type Source,
  type StepId,
} from '../src/index.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export type Said = { source: Source; body: unknown; step?: StepId; run?: RunId };

/** A chained log of what was said, at one second a piece. */
export function log(...said: Said[]): LogEvent[] {
  const thread = newThreadId();
  let previous = GENESIS;
  return said.map(({ source, body, step, run = null }, index) => {
    const at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const seq = index + 1;
    const head = { seq, thread, run, step: step ?? null, event: index, at, source };
    const hash = chainHash(sha256, previous, head, JSON.stringify(body));
    previous = hash;
    return { ...head, body, hash };
  });
}

export const fap = (body: unknown, step?: StepId): Said => ({
  source: 'fap',
  body,
  ...(step === undefined ? {} : { step }),
});
export const user = (content: string): Said => ({
  source: 'user',
  body: { type: 'message', from: 'user', content },
});
export const signal = (action: string): Said => ({
  source: 'user',
  body: { type: 'signal', action },
});
export const runner = (body: unknown): Said => ({ source: 'runner', body });
export const system = (body: unknown): Said => ({ source: 'system', body });
export const started = runner({ type: 'started', epoch: 1, executor: 'sandbox' });
export const exit = (more: Record<string, unknown> = {}): Said =>
  runner({ type: 'exit', epoch: 1, code: 0, signal: null, reason: 'exited', ...more });
