import type { Node } from '@filepath/protocol';
import { localTimes } from './local-times.ts';

/** Why an agent is as it is, with its place in line. */
export function reasonWords({ reason, queue }: Pick<Node, 'reason' | 'queue'>): string | null {
  if (queue === null) return reason && localTimes(reason);
  return `${reason ?? 'queued'}, ${queue === 1 ? 'next' : `place ${queue}`}`;
}
