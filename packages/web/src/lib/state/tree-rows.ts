import type { Node } from '@filepath/protocol';

/** One visible row of the tree. `position` and `siblings` are for those who cannot see it. */
export type Row = {
  node: Node;
  depth: number;
  parent: string | null;
  children: number;
  expanded: boolean;
  position: number;
  siblings: number;
};

/** The visible rows, top to bottom. A node whose parent is not there stands at the top. */
export function rowsOf(
  nodes: ReadonlyMap<string, Node>,
  collapsed: { has(id: string): boolean },
): Row[] {
  const below = new Map<string | null, Node[]>();
  for (const node of nodes.values()) {
    const parent = node.parentId !== null && nodes.has(node.parentId) ? node.parentId : null;
    const list = below.get(parent);
    if (list) list.push(node);
    else below.set(parent, [node]);
  }
  for (const list of below.values()) list.sort(inOrder);

  const rows: Row[] = [];
  const visit = (parent: string | null, depth: number): void => {
    const list = below.get(parent) ?? [];
    for (const [index, node] of list.entries()) {
      const children = below.get(node.id)?.length ?? 0;
      const expanded = children > 0 && !collapsed.has(node.id);
      const place = { position: index + 1, siblings: list.length };
      rows.push({ node, depth, parent, children, expanded, ...place });
      if (expanded) visit(node.id, depth + 1);
    }
  };
  visit(null, 0);
  return rows;
}

function inOrder(a: Node, b: Node): number {
  return a.sortOrder - b.sortOrder || a.createdAt.localeCompare(b.createdAt);
}

/** Where a key leads from a row: another row to focus, or a branch to open or close. */
export type Move = { focus: string } | { expand: string } | { collapse: string } | null;

export function moveFrom(rows: readonly Row[], id: string, key: string): Move {
  const index = rows.findIndex((row) => row.node.id === id);
  const row = rows[index];
  if (!row) return null;
  switch (key) {
    case 'ArrowDown':
      return focusOn(rows[index + 1]);
    case 'ArrowUp':
      return focusOn(rows[index - 1]);
    case 'Home':
      return focusOn(rows[0]);
    case 'End':
      return focusOn(rows.at(-1));
    case 'ArrowRight':
      if (row.children === 0) return null;
      return row.expanded ? focusOn(rows[index + 1]) : { expand: id };
    case 'ArrowLeft':
      if (row.expanded) return { collapse: id };
      return row.parent === null ? null : { focus: row.parent };
    default:
      return null;
  }
}

function focusOn(row: Row | undefined): Move {
  return row ? { focus: row.node.id } : null;
}
