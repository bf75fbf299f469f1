import type { Node } from '@filepath/protocol';

/** What a tree can be narrowed to, beside words. */
export const STATUS_FILTERS = ['waiting', 'running', 'failed', 'done'] as const;
export type StatusFilter = (typeof STATUS_FILTERS)[number];

export type TreeFilter = { readonly words: string; readonly status: StatusFilter | null };

/** What waits for a person by the rule ATT1: a question, a budget, a failure, a limit, or a conflict that nobody has. */
export function waitsForPerson({ reason, blocked, status, conflict, limit }: Node): boolean {
  return (
    (reason?.startsWith('waiting for a person') ?? false) ||
    blocked !== null ||
    status === 'error' ||
    limit !== undefined ||
    conflict?.handed === false
  );
}

const FITS: Record<StatusFilter, (node: Node) => boolean> = {
  waiting: waitsForPerson,
  running: ({ status }) => status === 'running' || status === 'thinking',
  failed: ({ status }) => status === 'error',
  done: ({ status }) => status === 'done',
};

/** What fits: every word is part of the name, type, model, status or reason, in any case. */
export function matchesOf(
  nodes: ReadonlyMap<string, Node>,
  { words, status }: TreeFilter,
): readonly Node[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return [...nodes.values()].filter((node) => {
    if (status !== null && !FITS[status](node)) return false;
    const text =
      `${node.name} ${node.agentType} ${node.model} ${node.status} ${node.reason ?? ''}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

export function isFiltering({ words, status }: TreeFilter): boolean {
  return status !== null || words.trim() !== '';
}

/** The given nodes with all that stand above them. */
export function withAncestors(
  nodes: ReadonlyMap<string, Node>,
  some: readonly Node[],
): ReadonlySet<string> {
  const shown = new Set<string>();
  for (const one of some) {
    let node: Node | undefined = one;
    while (node !== undefined && !shown.has(node.id)) {
      shown.add(node.id);
      node = node.parentId === null ? undefined : nodes.get(node.parentId);
    }
  }
  return shown;
}
