import { type Node, WAITING } from '@filepath/protocol';

/** What a tab tells from afar. What needs a person comes first. */
export type TabStatus = 'waiting' | 'error' | 'running' | 'done';

/** What a tree comes down to: that it waits for a person, a failure, work, or its end. An idle tree says nothing. */
export function treeStatus(
  nodes: Iterable<Pick<Node, 'status' | 'reason' | 'parentId'>>,
): TabStatus | null {
  const all = [...nodes];
  if (all.some((node) => node.reason === WAITING)) return 'waiting';
  if (all.some((node) => node.status === 'error')) return 'error';
  if (all.some((node) => node.status === 'running' || node.status === 'thinking')) return 'running';
  const tops = all.filter((node) => node.parentId === null);
  return tops.length > 0 && tops.every((node) => node.status === 'done') ? 'done' : null;
}

/** How many wait for the person goes before everything else. */
export function tabStatus(waiting: number, tree: TabStatus | null): TabStatus | null {
  return waiting > 0 ? 'waiting' : tree;
}

const MARKS: Record<Exclude<TabStatus, 'waiting'>, string> = {
  error: '✗ ',
  running: '● ',
  done: '✓ ',
};

export function tabTitle(title: string, waiting: number, tree: TabStatus | null): string {
  const mark =
    waiting > 0 ? `(${waiting}) ` : tree === null || tree === 'waiting' ? '' : MARKS[tree];
  return `${mark}${title} · filepath`;
}
