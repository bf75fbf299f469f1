import type { Node } from '@filepath/protocol';

/** One visible row of the tree. `position` and `siblings` are for those who cannot see it. */
export type Row = {
  readonly node: Node;
  readonly depth: number;
  readonly parent: string | null;
  readonly children: number;
  readonly expanded: boolean;
  readonly position: number;
  readonly siblings: number;
};

/** The nodes below each parent, in order. Those below `null` stand at the top. */
export type Branches = ReadonlyMap<string | null, readonly Node[]>;

/** A node whose parent is not there stands at the top. */
export function branchesOf(nodes: ReadonlyMap<string, Node>): Branches {
  const below = new Map<string | null, Node[]>();
  for (const node of nodes.values()) {
    const parent = node.parentId !== null && nodes.has(node.parentId) ? node.parentId : null;
    const list = below.get(parent);
    if (list) list.push(node);
    else below.set(parent, [node]);
  }
  for (const list of below.values()) list.sort(inOrder);
  return below;
}

export type Shown = {
  readonly collapsed: { has(id: string): boolean };
  /** What a filter lets through, opened whatever was closed; null: everything. */
  readonly only: ReadonlySet<string> | null;
};

/**
 * The visible rows, top to bottom. A row that is as it was is the same object, and rows that are all as they were
 * are the same array, so that what shows them has nothing to do.
 */
export function rowsOf(
  branches: Branches,
  { collapsed, only }: Shown,
  before: readonly Row[] = [],
): readonly Row[] {
  const known = new Map(before.map((row) => [row.node.id as string, row]));
  const rows: Row[] = [];
  const below = (parent: string | null): readonly Node[] => {
    const all = branches.get(parent) ?? [];
    return only === null ? all : all.filter(({ id }) => only.has(id));
  };
  const visit = (list: readonly Node[], parent: string | null, depth: number): void => {
    for (const [index, node] of list.entries()) {
      const inner = below(node.id);
      const children = inner.length;
      const expanded = children > 0 && (only !== null || !collapsed.has(node.id));
      const place = { position: index + 1, siblings: list.length };
      const row: Row = { node, depth, parent, children, expanded, ...place };
      const last = known.get(node.id);
      rows.push(last !== undefined && same(last, row) ? last : row);
      if (expanded) visit(inner, node.id, depth + 1);
    }
  };
  visit(below(null), null, 0);
  const unchanged = rows.length === before.length && rows.every((row, at) => row === before[at]);
  return unchanged ? before : rows;
}

function same(a: Row, b: Row): boolean {
  return (
    a.node === b.node &&
    a.depth === b.depth &&
    a.parent === b.parent &&
    a.children === b.children &&
    a.expanded === b.expanded &&
    a.position === b.position &&
    a.siblings === b.siblings
  );
}

function inOrder(a: Node, b: Node): number {
  return a.sortOrder - b.sortOrder || a.createdAt.localeCompare(b.createdAt);
}

/** Where a key leads from a row: another row to focus, or a branch to open or close. */
export type Step = { focus: string } | { expand: string } | { collapse: string } | null;

/** How far Page Up and Page Down go. */
const PAGE = 10;

export function stepFrom(rows: readonly Row[], id: string, key: string): Step {
  const index = rows.findIndex((row) => row.node.id === id);
  const row = rows[index];
  if (!row) return null;
  switch (key) {
    case 'ArrowDown':
      return focusOn(rows[index + 1]);
    case 'ArrowUp':
      return focusOn(rows[index - 1]);
    case 'PageDown':
      return focusOn(rows[Math.min(index + PAGE, rows.length - 1)]);
    case 'PageUp':
      return focusOn(rows[Math.max(index - PAGE, 0)]);
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

function focusOn(row: Row | undefined): Step {
  return row ? { focus: row.node.id } : null;
}
