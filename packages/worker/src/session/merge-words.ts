import type { JobResult, NodeConflict } from '@filepath/protocol';

const SHOWN_FILES = 50;

/** To a process that runs, whose workspace was left alone. */
export function toTake({ name, commit }: Extract<JobResult, { type: 'merged' }>): string {
  return `The work of ${name} was merged into your branch as ${commit}. Your workspace does not have it yet. When you are at a good place, commit what you have and run: git merge ${commit}`;
}

/** The task of the agent whose work is in conflict. */
export function toResolve({ target, ours, files }: NodeConflict): string {
  return [
    `Your work cannot be merged into ${target}: both changed the same lines.`,
    `In your workspace, commit what you have and run: git merge ${ours}`,
    ...rest(files),
  ].join('\n');
}

/** The task of another agent: its parent, or one that was made for it. `merges`: what its workspace may lack, in order. */
export function toJoin(
  name: string,
  { target, files }: NodeConflict,
  merges: readonly string[],
): string {
  return [
    `The work of ${name} cannot be merged into ${target}: both changed the same lines. Join them.`,
    'In your workspace, commit what you have and run, one after the other:',
    ...merges.map((commit) => `git merge ${commit}`),
    ...rest(files),
  ].join('\n');
}

function rest(files: readonly string[]): string[] {
  const list = files.slice(0, SHOWN_FILES).map((path) => `- ${path}`);
  const more = files.length > SHOWN_FILES ? [`- and ${files.length - SHOWN_FILES} more`] : [];
  return [
    'Then resolve these files so that both intentions are kept, check that the result works, and commit:',
    ...list,
    ...more,
    '',
    'Do not rewrite commits, and do not merge anywhere else: the merge is asked for again when you are done.',
  ];
}
