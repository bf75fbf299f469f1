import type { JobResult, MergeCreate, Node } from '@filepath/protocol';
import { shortHash } from './hunks.ts';

export type MergeHow = 'any' | NonNullable<MergeCreate['mode']>;

export type Told = { good: boolean; text: string };

const HOW = { ff: 'fast-forward', merge: 'with a merge commit' } as const;

/** What is said of how a merge or a push ended. Null: a conflict, which is shown by itself. */
export function toldOf(result: JobResult | null): Told | null {
  if (result === null) {
    return { good: true, text: 'It takes longer than usual. The conversation says how it ends.' };
  }
  switch (result.type) {
    case 'merged': {
      const at = shortHash(result.commit);
      if (result.how === 'none') {
        return { good: true, text: `${result.target} has all of it already, at ${at}.` };
      }
      const next =
        result.into === 'session' || result.taken
          ? ''
          : ` ${result.target} is at work or has changes: it is told which commit to merge.`;
      return {
        good: true,
        text: `Merged into ${result.target} as ${at}, ${HOW[result.how]}.${next}`,
      };
    }
    case 'pushed':
      return {
        good: true,
        text: `Pushed ${shortHash(result.commit)} to ${result.branch} of ${result.remote}.`,
      };
    case 'job_failed':
      return { good: false, text: result.reason };
    default:
      return null;
  }
}

export const branchOf = ({ slug }: Pick<Node, 'slug'>): string => `filepath/${slug}`;
