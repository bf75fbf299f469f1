import type { Node, ThreadId } from '@filepath/protocol';
import type { Branches, Row } from './tree-rows.ts';

/** Where a node is to stand: below whom, and before which sibling; null puts it last. */
export type Place = { readonly parentId: ThreadId | null; readonly before: ThreadId | null };

export type Direction = 'up' | 'down' | 'in' | 'out';

/** Where a node goes by one step among its siblings, into the one above it, or out beside its parent. */
export function placeBy(branches: Branches, node: Node, direction: Direction): Place | null {
  const parentId = parentIn(branches, node);
  const siblings = branches.get(parentId) ?? [];
  const at = siblings.findIndex(({ id }) => id === node.id);
  const above = siblings[at - 1];
  if (direction === 'up') return above ? { parentId, before: above.id } : null;
  if (direction === 'down') {
    return siblings[at + 1] ? { parentId, before: siblings[at + 2]?.id ?? null } : null;
  }
  if (direction === 'in') return above ? { parentId: above.id, before: null } : null;
  const parent = parentId === null ? null : nodeOf(branches, parentId);
  if (parent === null) return null;
  const outer = parentIn(branches, parent);
  return { parentId: outer, before: after(branches, outer, parent.id) };
}

/** What a drop at some height of a row would do, and how that is shown. */
export type Drop = {
  readonly place: Place;
  /** The line stands above this row; `into` marks the row itself. */
  readonly index: number;
  readonly into: boolean;
  readonly depth: number;
};

/** The part of a row, above and below, where a drop means beside it. */
const EDGE = 0.28;

/** `height` counts rows from the top of the list. Null: there is nothing to drop on, or it would stand below itself. */
export function dropAt(
  rows: readonly Row[],
  branches: Branches,
  dragged: Node,
  height: number,
): Drop | null {
  if (rows.length === 0) return null;
  const at = Math.max(height, 0);
  const index = Math.floor(at);
  if (index >= rows.length) {
    return { place: { parentId: null, before: null }, index: rows.length, into: false, depth: 0 };
  }
  const row = rows[index];
  if (!row) return null;
  const { id } = row.node;
  const within = at - index;
  const parentId = parentIn(branches, row.node);
  const drop: Drop =
    within < EDGE
      ? { place: { parentId, before: id }, index, into: false, depth: row.depth }
      : within <= 1 - EDGE
        ? { place: { parentId: id, before: null }, index, into: true, depth: row.depth }
        : row.expanded
          ? {
              place: { parentId: id, before: branches.get(id)?.[0]?.id ?? null },
              index: index + 1,
              into: false,
              depth: row.depth + 1,
            }
          : {
              place: { parentId, before: after(branches, parentId, id) },
              index: index + 1,
              into: false,
              depth: row.depth,
            };
  return isBelow(branches, drop.place.parentId, dragged.id) ? null : drop;
}

/** Whether a move to there would leave everything as it is. */
export function standsAt(branches: Branches, node: Node, { parentId, before }: Place): boolean {
  if (parentIn(branches, node) !== parentId) return false;
  return before === node.id || before === after(branches, parentId, node.id);
}

/** The nodes as they are once the move is made; as they were where it cannot be. Siblings are counted anew. */
export function withMoved(
  nodes: ReadonlyMap<string, Node>,
  branches: Branches,
  id: string,
  { parentId, before }: Place,
): ReadonlyMap<string, Node> {
  const node = nodes.get(id);
  if (!node || isBelow(branches, parentId, id)) return nodes;
  if (parentId !== null && !nodes.has(parentId)) return nodes;
  const siblings = (branches.get(parentId) ?? []).filter((one) => one.id !== id);
  const found = siblings.findIndex((one) => one.id === before);
  const at = found === -1 ? siblings.length : found;
  const moved = new Map(nodes);
  const order = [...siblings.slice(0, at), { ...node, parentId }, ...siblings.slice(at)];
  for (const [sortOrder, one] of order.entries()) {
    moved.set(one.id, one.sortOrder === sortOrder && one.id !== id ? one : { ...one, sortOrder });
  }
  return moved;
}

/** Whether a node is the other one or stands somewhere below it. */
function isBelow(branches: Branches, id: string | null, other: string): boolean {
  if (id === null) return false;
  if (id === other) return true;
  return (branches.get(other) ?? []).some((child) => isBelow(branches, id, child.id));
}

function after(branches: Branches, parentId: string | null, id: string): ThreadId | null {
  const siblings = branches.get(parentId) ?? [];
  return siblings[siblings.findIndex((one) => one.id === id) + 1]?.id ?? null;
}

function nodeOf(branches: Branches, id: string): Node | null {
  for (const list of branches.values()) {
    const found = list.find((one) => one.id === id);
    if (found) return found;
  }
  return null;
}

/** A parent that is not there does not count. */
function parentIn(branches: Branches, node: Node): ThreadId | null {
  const top = branches.get(null)?.some(({ id }) => id === node.id) ?? false;
  return top ? null : node.parentId;
}
