import { FilepathError, type NodePatch } from '@filepath/protocol';
import { notFound } from '../result.ts';
import { checkCaps } from './admission.ts';
import type { Caps } from './caps.ts';
import type { NodeRow } from './node-row.ts';
import type { NodeTable } from './node-table.ts';

export type Move = Pick<NodePatch, 'parentId' | 'before'>;

/** Where a node is to stand: its parent, the places of it and of those beside it that change, and all that moves with it. */
export type Plan = {
  id: string;
  from: string | null;
  to: string | null;
  places: ReadonlyMap<string, number>;
  moved: readonly string[];
};

export const isMove = ({ parentId, before }: NodePatch): boolean =>
  parentId !== undefined || before !== undefined;

/** The plan of a move; a refusal that says why not otherwise. */
export function planMove(nodes: NodeTable, caps: Caps, rows: readonly NodeRow[], to: Move): Plan {
  const [row] = rows;
  if (!row) throw notFound('this node');
  const parent = to.parentId === undefined ? row.parent_id : to.parentId;
  if (parent !== row.parent_id) checkParent(nodes, caps, row, rows, parent);
  const places = placesOf(nodes, row, parent, to.before ?? null);
  return {
    id: row.id,
    from: row.parent_id,
    to: parent,
    places,
    moved: rows.map(({ id }) => id),
  };
}

function checkParent(
  nodes: NodeTable,
  caps: Caps,
  row: NodeRow,
  rows: readonly NodeRow[],
  parent: string | null,
): void {
  if (parent !== null && !nodes.find(parent)) throw notFound('the parent node');
  if (rows.some(({ id }) => id === parent)) {
    throw new FilepathError('conflict', `${row.name} cannot stand below itself`);
  }
  checkCaps(caps, {
    depth: nodes.depthOf(parent) + heightOf(rows),
    siblings: parent === null ? 0 : nodes.beside(parent).n,
    agents: 0,
  });
}

/** Levels of a subtree; its rows have parents first. */
function heightOf(rows: readonly NodeRow[]): number {
  const levels = new Map<string, number>();
  for (const { id, parent_id } of rows) levels.set(id, (levels.get(parent_id ?? '') ?? 0) + 1);
  return Math.max(...levels.values());
}

function placesOf(
  nodes: NodeTable,
  row: NodeRow,
  parent: string | null,
  before: string | null,
): Map<string, number> {
  if (before === null) return new Map([[row.id, nodes.beside(parent).last + 1]]);
  if (before === row.id) {
    if (parent === row.parent_id) return new Map();
    throw new FilepathError('conflict', `${row.name} cannot stand before itself`);
  }
  const beside = nodes.childrenOf(parent).filter(({ id }) => id !== row.id);
  const at = beside.findIndex(({ id }) => id === before);
  if (at === -1) throw notFound('the node that it is to stand before');
  const order = [...beside.slice(0, at), row, ...beside.slice(at)];
  const places = order.map((one, place) => ({ id: one.id, was: one.sort_order, place }));
  return new Map(places.flatMap(({ id, was, place }) => (was === place ? [] : [[id, place]])));
}
