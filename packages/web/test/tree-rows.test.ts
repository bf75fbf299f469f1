import { describe, expect, it } from 'vitest';
import { branchesOf, type Row, rowsOf, stepFrom } from '../src/lib/state/tree-rows.ts';
import { scrollFor, windowOf } from '../src/lib/state/tree-window.ts';
import { idOf, makeNode, mapOf, TREE } from './support/nodes.ts';

const closing = (...closed: string[]) => ({ collapsed: new Set(closed.map(idOf)), only: null });
const rows = (...closed: string[]): readonly Row[] => rowsOf(branchesOf(TREE), closing(...closed));
const names = (list: readonly Row[]): string[] => list.map((row) => row.node.name);

describe('rows of a tree', () => {
  it('[UIT1] stand below their parent, by sort order, with their depth and place', () => {
    expect(names(rows())).toEqual(['root', 'plan', 'db', 'api', 'review']);
    expect(rows().map((row) => row.depth)).toEqual([0, 1, 2, 2, 1]);
    expect(rows()[3]).toMatchObject({ position: 2, siblings: 2, children: 0, expanded: false });
  });

  it('are not shown below a closed branch', () => {
    expect(names(rows('plan'))).toEqual(['root', 'plan', 'review']);
    expect(rows('plan')[1]).toMatchObject({ children: 2, expanded: false });
  });

  it('stand at the top when their parent is not there', () => {
    const orphan = makeNode('orphan', 'gone');
    expect(names(rowsOf(branchesOf(mapOf(orphan)), closing()))).toEqual(['orphan']);
  });

  it('that a filter leaves are open, and counted among themselves', () => {
    const only = new Set([idOf('root'), idOf('plan'), idOf('api')]);
    const filtered = rowsOf(branchesOf(TREE), { ...closing('plan'), only });
    expect(names(filtered)).toEqual(['root', 'plan', 'api']);
    expect(filtered[2]).toMatchObject({ position: 1, siblings: 1 });
  });

  it('[UIT2] are the same objects while they are as they were', () => {
    const before = rows();
    expect(rowsOf(branchesOf(TREE), closing(), before)).toBe(before);
    const changed = new Map(TREE).set(idOf('api'), makeNode('api', 'plan', 1, { status: 'done' }));
    const now = rowsOf(branchesOf(changed), closing(), before);
    expect(now.map((row, index) => row === before[index])).toEqual([true, true, true, false, true]);
  });
});

describe('keys in a tree', () => {
  const from = (name: string, key: string, ...closed: string[]) =>
    stepFrom(rows(...closed), idOf(name), key);

  it('move up and down the visible rows, and stay at the ends', () => {
    expect(from('plan', 'ArrowDown')).toEqual({ focus: idOf('db') });
    expect(from('plan', 'ArrowDown', 'plan')).toEqual({ focus: idOf('review') });
    expect(from('plan', 'ArrowUp')).toEqual({ focus: idOf('root') });
    expect(from('root', 'ArrowUp')).toBeNull();
    expect(from('review', 'ArrowDown')).toBeNull();
    expect(from('db', 'Home')).toEqual({ focus: idOf('root') });
    expect(from('db', 'End')).toEqual({ focus: idOf('review') });
    expect(from('db', 'PageDown')).toEqual({ focus: idOf('review') });
    expect(from('db', 'PageUp')).toEqual({ focus: idOf('root') });
  });

  it('open a branch, then enter it', () => {
    expect(from('plan', 'ArrowRight', 'plan')).toEqual({ expand: idOf('plan') });
    expect(from('plan', 'ArrowRight')).toEqual({ focus: idOf('db') });
    expect(from('db', 'ArrowRight')).toBeNull();
  });

  it('close a branch, then leave it', () => {
    expect(from('plan', 'ArrowLeft')).toEqual({ collapse: idOf('plan') });
    expect(from('plan', 'ArrowLeft', 'plan')).toEqual({ focus: idOf('root') });
    expect(from('db', 'ArrowLeft')).toEqual({ focus: idOf('plan') });
  });

  it('that mean nothing do nothing', () => {
    expect(from('plan', 'x')).toBeNull();
  });
});

describe('rows in the page', () => {
  it('[UIT2] are those in sight, some beyond, and those that must stay', () => {
    const shown = windowOf(1000, 2800, 280, [3, 999, -1, 1000]);
    expect(shown).toEqual([3, ...Array.from({ length: 35 }, (_, at) => 88 + at), 999]);
    expect(windowOf(2, 0, 280, [])).toEqual([0, 1]);
  });

  it('are scrolled to no further than needed', () => {
    expect(scrollFor(2, 100, 280)).toBe(56);
    expect(scrollFor(20, 0, 280)).toBe(308);
    expect(scrollFor(5, 0, 280)).toBe(0);
  });
});
