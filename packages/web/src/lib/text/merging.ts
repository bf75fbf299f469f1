import type { JobResult, MergeCreate, Node, NodeWaiting } from '@filepath/protocol';
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
      const there = result.into === 'session' || result.taken;
      const next = there
        ? ''
        : ` The workspace of ${result.target} does not have it yet, since it is at work or has changes: it is tried again when its run ends, and it is told which commit to merge.`;
      if (result.how === 'none') {
        const has = there ? 'has all of it already' : 'has all of it on its branch';
        return { good: true, text: `${result.target} ${has}, at ${at}.${next}` };
      }
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

/** What a node has on its branch and not in its workspace. */
export function waitingWords(name: string, { commit, of }: NodeWaiting): string {
  const names = [...new Set(of.map((one) => one.name))].join(', ');
  return `The work of ${names} was merged into ${name} as ${shortHash(commit)} and waits: the workspace does not have it yet. It is tried again when a run of ${name} ends, and is part of what is pushed and merged.`;
}

export const branchOf = ({ slug }: Pick<Node, 'slug'>): string => `filepath/${slug}`;
