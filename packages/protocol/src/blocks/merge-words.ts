import { shownPath } from '../git/shown-path.ts';
import type { JobResult } from '../thread/job-results.ts';
import { SystemOverlap } from '../thread/bodies.ts';
import type { Base, NoticeBlock } from './block.ts';

type Words = { text: string; detail: string | null };
type Merged = Extract<JobResult, { type: 'merged' }>;
type Conflict = Extract<JobResult, { type: 'conflict' }>;

export function mergedWords({ name, target, commit, how, into, taken }: Merged): Words {
  const there = into === 'session' || taken;
  const detail = there ? null : `the workspace of ${target} gets it with: git merge ${commit}`;
  if (how !== 'none') {
    return { text: `merged the work of ${name} into ${target} as ${commit.slice(0, 10)}`, detail };
  }
  const text = there
    ? `${target} has the work of ${name}`
    : `the work of ${name} was merged into ${target} before, and waits to be taken`;
  return { text, detail };
}

export function conflictWords({ name, target, files, truncated }: Conflict): Words {
  const list = files.map(({ path, hunks }) => [shownPath(path), ...hunks].join('\n'));
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
  return { ...base, kind: 'notice', level: 'warn', text, detail: files.map(shownPath).join('\n') };
}
