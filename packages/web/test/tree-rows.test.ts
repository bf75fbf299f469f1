import {
  newSessionId,
  newThreadId,
  NO_BUDGET,
  NO_USAGE,
  type Node,
  type ThreadId,
} from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { moveFrom, type Row, rowsOf } from '../src/lib/state/tree-rows.ts';

const sessionId = newSessionId();
const ids = new Map<string, ThreadId>();
const idOf = (name: string): ThreadId => {
  const id = ids.get(name) ?? newThreadId();
  ids.set(name, id);
  return id;
};

function node(name: string, parent: string | null, sortOrder = 0): Node {
  return {
    id: idOf(name),
    sessionId,
    parentId: parent === null ? null : idOf(parent),
    name,
    slug: name,
    agentType: 'custom',
    model: '',
    status: 'idle',
    reason: null,
    config: {},
    sortOrder,
    tokens: 0,
    usage: NO_USAGE,
    subtree: NO_USAGE,
    budget: NO_BUDGET,
    blocked: null,
    queue: null,
    contextPct: null,
    done: 0,
    total: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
}

const NODES = new Map(
  [
    node('review', 'root', 2),
    node('plan', 'root', 1),
    node('api', 'plan', 1),
    node('db', 'plan', 0),
    node('root', null),
  ].map((one) => [one.id, one] as const),
);
const rows = (...closed: string[]): Row[] => rowsOf(NODES, new Set(closed.map(idOf)));
const names = (list: readonly Row[]): string[] => list.map((row) => row.node.name);

describe('rows of a tree', () => {
  it('stand below their parent, by sort order, with their depth and place', () => {
    expect(names(rows())).toEqual(['root', 'plan', 'db', 'api', 'review']);
    expect(rows().map((row) => row.depth)).toEqual([0, 1, 2, 2, 1]);
    expect(rows()[3]).toMatchObject({ position: 2, siblings: 2, children: 0, expanded: false });
  });

  it('are not shown below a closed branch', () => {
    expect(names(rows('plan'))).toEqual(['root', 'plan', 'review']);
    expect(rows('plan')[1]).toMatchObject({ children: 2, expanded: false });
  });

  it('stand at the top when their parent is not there', () => {
    const orphan = node('orphan', 'gone');
    expect(names(rowsOf(new Map([[orphan.id, orphan]]), new Set()))).toEqual(['orphan']);
  });
});

describe('keys in a tree', () => {
  const from = (name: string, key: string, ...closed: string[]) =>
    moveFrom(rows(...closed), idOf(name), key);

  it('move up and down the visible rows, and stay at the ends', () => {
    expect(from('plan', 'ArrowDown')).toEqual({ focus: idOf('db') });
    expect(from('plan', 'ArrowDown', 'plan')).toEqual({ focus: idOf('review') });
    expect(from('plan', 'ArrowUp')).toEqual({ focus: idOf('root') });
    expect(from('root', 'ArrowUp')).toBeNull();
    expect(from('review', 'ArrowDown')).toBeNull();
    expect(from('db', 'Home')).toEqual({ focus: idOf('root') });
    expect(from('db', 'End')).toEqual({ focus: idOf('review') });
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
