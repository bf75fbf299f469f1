import type { ThreadId } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { newSession } from './support/sessions.ts';

const LEVELS = 6;

type Below = (limit: number) => number;

/** The same seed, the same tree. */
function dice(seed: number): Below {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

type Way = 'waits' | 'polls' | 'ends';

/**
 * A tree that grows as its agents start: parents ask for children and wait for them, each in its own way. Plays until
 * nothing more can happen; says how many were at work at once, and whether all have ended.
 */
function play(working: number, ways: readonly Way[], below: Below) {
  const t = newSession({ working, depth: LEVELS });
  const depths = new Map<ThreadId, number>();
  const children = new Map<ThreadId, ThreadId[]>();
  const wayOf = new Map<ThreadId, Way>();
  const epochs = new Map<ThreadId, number>();
  const running = new Set<ThreadId>();
  const ended = new Set<ThreadId>();
  const make = (parent: ThreadId | null): ThreadId => {
    const id = t.add(parent);
    depths.set(id, parent === null ? 1 : (depths.get(parent) ?? 0) + 1);
    return id;
  };
  const wish = (id: ThreadId): void => {
    epochs.set(id, (epochs.get(id) ?? 0) + 1);
    t.wish(id, epochs.get(id));
  };
  /** What a process does first: the first one of a node asks for children. */
  const begin = (id: ThreadId): void => {
    running.add(id);
    t.tell(id, 'running');
    if (children.has(id)) return;
    const isLeaf = depths.get(id) === LEVELS || below(4) === 0;
    const kids = isLeaf ? [] : Array.from({ length: 1 + below(3) }, () => make(id));
    children.set(id, kids);
    for (const kid of kids) wish(kid);
    if (kids.length === 0) return;
    const way = ways[below(ways.length)] ?? 'polls';
    wayOf.set(id, way);
    if (way === 'waits') t.waits(id);
    if (way === 'ends') rest(id);
  };
  const rest = (id: ThreadId): void => {
    running.delete(id);
    t.tell(id, 'done');
  };
  const hasAll = (id: ThreadId): boolean => (children.get(id) ?? []).every((kid) => ended.has(kid));
  wish(make(null));
  let most = 0;
  for (;;) {
    for (const start of t.session.starts.going()) {
      t.session.starts.told(start);
      begin(start.thread as ThreadId);
    }
    const atWork = [...running].filter((id) => !t.waiting.has(id)).length;
    most = Math.max(most, atWork);
    if (t.going().length > 0) continue;
    const free = [...running].filter(hasAll);
    const next = free[below(Math.max(1, free.length))];
    if (next === undefined) break;
    t.waiting.delete(next);
    ended.add(next);
    rest(next);
    // Whoever ended its turn is woken by the last of its children.
    const above = t.session.nodes.find(next)?.parent_id as ThreadId | null;
    if (above !== null && wayOf.get(above) === 'ends' && hasAll(above)) wish(above);
  }
  return { nodes: depths.size, ended: ended.size, most };
}

it.each([
  ['polls', ['polls']],
  ['waits', ['waits']],
  ['ends its turn', ['ends']],
  ['does as it likes', ['polls', 'waits', 'ends']],
] as const)(
  '[QUE3] a tree deeper than the cap ends, where every parent %s; each level adds one to the cap at most',
  (_, ways) => {
    for (const working of [1, 2, 3]) {
      for (let seed = 1; seed <= 12; seed += 1) {
        const { nodes, ended, most } = play(working, ways, dice(seed * working));
        expect(ended, `seed ${seed}, ${working} slots`).toBe(nodes);
        expect(most, `seed ${seed}, ${working} slots`).toBeLessThanOrEqual(working + LEVELS);
      }
    }
  },
);
