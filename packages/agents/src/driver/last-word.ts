import type { TurnEnd } from './program.ts';
import type { RunEnd } from './voice.ts';

/** The event that ends a run whose last turn ended so. `summary` is what was said last in it. */
export function lastWord(
  end: Exclude<TurnEnd, { how: 'handoff' }>,
  summary: string | undefined,
): RunEnd {
  switch (end.how) {
    case 'done':
      return { type: 'done', ...(summary === undefined ? {} : { summary }) };
    case 'interrupted':
      return { type: 'status', state: 'idle', reason: 'interrupted' };
    case 'failed': {
      const { reason, until } = end;
      return { type: 'status', state: 'error', reason, ...(until === undefined ? {} : { until }) };
    }
  }
}
