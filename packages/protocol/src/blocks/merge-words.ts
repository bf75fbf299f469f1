import type { JobResult } from '../thread/job-results.ts';
import { SystemOverlap } from '../thread/bodies.ts';
import type { Base, NoticeBlock } from './block.ts';

type Words = { text: string; detail: string | null };
type Merged = Extract<JobResult, { type: 'merged' }>;
type Conflict = Extract<JobResult, { type: 'conflict' }>;

export function mergedWords({ name, target, commit, how, into, taken }: Merged): Words {
  if (how === 'none') return { text: `${target} had the work of ${name} already`, detail: null };
  const text = `merged the work of ${name} into ${target} as ${commit.slice(0, 10)}`;
  if (into === 'session' || taken) return { text, detail: null };
  return { text, detail: `${target} gets it with: git merge ${commit}` };
}

export function conflictWords({ name, target, files, truncated }: Conflict): Words {
  const list = files.map(({ path, hunks }) => [path, ...hunks].join('\n'));
  return {
    text: `the work of ${name} conflicts with ${target}`,
    detail: [...list, ...(truncated ? ['and more'] : [])].join('\n\n'),
  };
}

/** Null for any other body. */
export function overlapBlock(base: Base, body: unknown): NoticeBlock | null {
  const parsed = SystemOverlap.safeParse(body);
  if (!parsed.success) return null;
  const { name, files } = parsed.data;
  const text = `${name} changed the same lines`;
  return { ...base, kind: 'notice', level: 'warn', text, detail: files.join('\n') };
}
