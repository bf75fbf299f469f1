import type { AgentState } from '../fap/events.ts';

type TreeNode = { id: string; parentId: string | null; status: AgentState };

export type Completion = { done: number; total: number };

/** `done/total` of every node over the leaves below it; a leaf counts itself. */
export function completionOf(nodes: readonly TreeNode[]): Map<string, Completion> {
  const children = new Map<string, TreeNode[]>();
  for (const node of nodes) {
    if (node.parentId === null) continue;
    const list = children.get(node.parentId) ?? [];
    list.push(node);
    children.set(node.parentId, list);
  }
  const out = new Map<string, Completion>();
  const visit = (node: TreeNode): Completion => {
    const known = out.get(node.id);
    if (known) return known;
    // Set before descending, so that a cycle in foreign data ends.
    out.set(node.id, { done: 0, total: 0 });
    const below = children.get(node.id) ?? [];
    const count = below
      .map(visit)
      .reduce(
        (sum, one) => ({ done: sum.done + one.done, total: sum.total + one.total }),
        below.length === 0
          ? { done: node.status === 'done' ? 1 : 0, total: 1 }
          : { done: 0, total: 0 },
      );
    out.set(node.id, count);
    return count;
  };
  for (const node of nodes) visit(node);
  return out;
}
