import { type JobResult, type NodeConflict, type NodeWaiting, shownPath } from '@filepath/protocol';

const SHOWN_FILES = 50;
const WHY = 'both changed the same lines, or one removed or renamed what the other changed';

/** To a process that runs, whose workspace was left alone. */
export function toTake({ name, commit }: Extract<JobResult, { type: 'merged' }>): string {
  return `The work of ${name} was merged into your branch as ${commit}. Your workspace does not have it yet. When you are at a good place, commit what you have and run: git merge ${commit}`;
}

/** To a process whose run begins, and whose workspace does not have what was merged before. */
export function toTakeAll({ commit, of }: NodeWaiting): string {
  const names = [...new Set(of.map(({ name }) => name))].join(', ');
  return `The work of ${names} was merged into your branch as ${commit}. Your workspace does not have it, since it had changes that are not committed. Commit what you have and run: git merge ${commit}`;
}

/** The task of the agent whose work is in conflict. `waits`: what was merged into its branch before and it has not taken. */
export function toResolve(
  { target, ours, files }: NodeConflict,
  waits: string | null = null,
): string {
  const first = waits === null ? [] : [`git merge ${waits}`];
  return [
    `Your work cannot be merged into ${target}: ${WHY}.`,
    'In your workspace, commit what you have and run:',
    ...first,
    `git merge ${ours}`,
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
    `The work of ${name} cannot be merged into ${target}: ${WHY}. Join them.`,
    'In your workspace, commit what you have and run, one after the other:',
    ...merges.map((commit) => `git merge ${commit}`),
    ...rest(files),
  ].join('\n');
}

function rest(files: readonly string[]): string[] {
  const list = files.slice(0, SHOWN_FILES).map((path) => `- ${shownPath(path)}`);
  const more = files.length > SHOWN_FILES ? [`- and ${files.length - SHOWN_FILES} more`] : [];
  return [
    'Then resolve these files so that both intentions are kept, check that the result works, and commit:',
    ...list,
    ...more,
    '',
    'Do not rewrite commits, and do not merge anywhere else: the merge is asked for again when you are done.',
  ];
}
