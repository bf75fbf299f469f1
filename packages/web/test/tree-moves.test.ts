import { describe, expect, it } from 'vitest';
import {
  type Direction,
  dropAt,
  placeBy,
  standsAt,
  withMoved,
} from '../src/lib/state/tree-moves.ts';
import { PendingMoves } from '../src/lib/state/tree-pending.ts';
import { branchesOf, rowsOf } from '../src/lib/state/tree-rows.ts';
import { idOf, makeNode, TREE } from './support/nodes.ts';

const branches = branchesOf(TREE);
const OPEN = { collapsed: new Set<string>(), only: null };
const rows = rowsOf(branches, OPEN);
const node = (name: string) => TREE.get(idOf(name)) ?? makeNode(name, null);
const place = (parent: string | null, before: string | null) => ({
  parentId: parent === null ? null : idOf(parent),
  before: before === null ? null : idOf(before),
});

describe('a move by keys', () => {
  const by = (name: string, direction: Direction) => placeBy(branches, node(name), direction);

  it('[UIT5] goes among siblings, below the one above, and beside its parent', () => {
    expect(by('api', 'up')).toEqual(place('plan', 'db'));
    expect(by('db', 'down')).toEqual(place('plan', null));
    expect(by('review', 'in')).toEqual(place('plan', null));
    expect(by('db', 'out')).toEqual(place('root', 'review'));
    expect(by('review', 'out')).toEqual(place(null, null));
  });

  it('that leads nowhere is none', () => {
    expect(by('db', 'up')).toBeNull();
    expect(by('api', 'down')).toBeNull();
    expect(by('db', 'in')).toBeNull();
    expect(by('root', 'out')).toBeNull();
  });
});

describe('a drop', () => {
  const drop = (name: string, at: number) => dropAt(rows, branches, node(name), at);

  it('[UIT4] at the edges of a row is beside it, in its middle below it', () => {
    expect(drop('db', 4.1)).toMatchObject({
      place: place('root', 'review'),
      index: 4,
      into: false,
    });
    expect(drop('db', 4.5)).toMatchObject({ place: place('review', null), index: 4, into: true });
    expect(drop('db', 4.9)).toMatchObject({ place: place('root', null), index: 5, depth: 1 });
  });

  it('under an open branch is before its first child, under the last row at the top', () => {
    expect(drop('review', 1.9)).toMatchObject({ place: place('plan', 'db'), index: 2, depth: 2 });
    expect(drop('review', 9)).toMatchObject({ place: place(null, null), depth: 0 });
    expect(drop('review', -3)).toMatchObject({ place: place(null, 'root'), index: 0 });
  });

  it('[UIT4] is never below what is dragged', () => {
    expect(drop('plan', 1.5)).toBeNull();
    expect(drop('plan', 3.5)).toBeNull();
    expect(drop('plan', 2.1)).toBeNull();
    expect(drop('plan', 4.5)).not.toBeNull();
  });

  it('where it stands is no move', () => {
    expect(standsAt(branches, node('db'), place('plan', 'api'))).toBe(true);
    expect(standsAt(branches, node('db'), place('plan', 'db'))).toBe(true);
    expect(standsAt(branches, node('api'), place('plan', null))).toBe(true);
    expect(standsAt(branches, node('api'), place('plan', 'db'))).toBe(false);
    expect(standsAt(branches, node('api'), place('root', null))).toBe(false);
  });
});

describe('a move that is not confirmed', () => {
  const shown = (name: string, to: ReturnType<typeof place>): string[] => {
    const moved = branchesOf(withMoved(TREE, branches, idOf(name), to));
    return rowsOf(moved, OPEN).map((row) => `${'-'.repeat(row.depth)}${row.node.name}`);
  };

  it('[UIT6] is shown with everything below the node', () => {
    expect(shown('plan', place('review', null))).toEqual([
      'root',
      '-review',
      '--plan',
      '---db',
      '---api',
    ]);
    expect(shown('api', place('plan', 'db'))).toEqual([
      'root',
      '-plan',
      '--api',
      '--db',
      '-review',
    ]);
  });

  it('below itself, or below what is gone, is not shown', () => {
    expect(withMoved(TREE, branches, idOf('plan'), place('db', null))).toBe(TREE);
    expect(withMoved(TREE, branches, idOf('plan'), place('nobody', null))).toBe(TREE);
  });

  it('[UIT6] is over once it was accepted and the feed has told it, in either order', () => {
    const moves = new PendingMoves();
    const first = moves.begin(idOf('db'), place('root', null));
    moves.accept(first);
    expect(moves.all).toEqual([first]);
    moves.heard(idOf('db'));
    expect(moves.all).toEqual([]);
    const second = moves.begin(idOf('db'), place('plan', null));
    moves.heard(idOf('db'));
    expect(moves.all).toEqual([second]);
    moves.accept(second);
    expect(moves.all).toEqual([]);
  });

  it('[UIT6] is taken back when it is refused', () => {
    const moves = new PendingMoves();
    const kept = moves.begin(idOf('api'), place('root', null));
    moves.drop(moves.begin(idOf('db'), place('root', null)));
    expect(moves.all).toEqual([kept]);
  });
});
