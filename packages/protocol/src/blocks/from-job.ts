import { JobResult } from '../thread/job-results.ts';
import { conflictWords, mergedWords } from './merge-words.ts';
import type { Base, NoticeBlock } from './block.ts';

const FAILED = {
  push: 'could not push',
  snapshot: 'could not make a snapshot',
  gate: 'could not run the gates',
  merge: 'could not merge',
} as const;

/** How a job ended, in words for a person; null for any other body. */
export function jobBlock(base: Base, body: unknown): NoticeBlock | null {
  const parsed = JobResult.safeParse(body);
  if (!parsed.success) return null;
  const result = parsed.data;
  if (result.type === 'gate') return null;
  const notice = { ...base, kind: 'notice' as const, level: 'info' as const };
  switch (result.type) {
    case 'pushed': {
      const text = `pushed ${result.commit.slice(0, 10)} to ${result.branch}`;
      return { ...notice, text, detail: result.remote };
    }
    case 'snapshot': {
      const { files, left } = result.manifest;
      const without = Object.values(left).reduce((sum, each) => sum + each, 0);
      const text = `snapshot of ${files} files, ${result.size} bytes`;
      const detail = without === 0 ? [] : [`left out: ${JSON.stringify(left)}`];
      return { ...notice, text, detail: [result.snapshot, ...detail].join('\n') };
    }
    case 'merged':
      return { ...notice, ...mergedWords(result) };
    case 'conflict':
      return { ...notice, level: 'warn', ...conflictWords(result) };
    case 'job_failed': {
      const { work, reason } = result;
      return { ...notice, level: 'error', text: FAILED[work], detail: reason };
    }
  }
}
