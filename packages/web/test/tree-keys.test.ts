import { NO_USAGE } from '@filepath/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { actionOfKey, actionsFor } from '../src/lib/state/node-actions.ts';
import {
  KEPT_BRANCHES,
  KEPT_SESSIONS,
  recallCollapsed,
  rememberCollapsed,
} from '../src/lib/state/tree-collapsed.ts';
import { branchesOf, rowsOf } from '../src/lib/state/tree-rows.ts';
import { TypeAhead } from '../src/lib/state/type-ahead.ts';
import { deleteWords, stopWords } from '../src/lib/text/asking.ts';
import { meetingOf, nodeDescription, nodeFacts } from '../src/lib/text/node-words.ts';
import { idOf, makeNode, mapOf } from './support/nodes.ts';

const key = (name: string, held: { altKey?: boolean; shiftKey?: boolean } = {}) => ({
  key: name,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  ...held,
});

describe('what can be done with an agent', () => {
  const idle = makeNode('idle', null);
  const paused = makeNode('idle', null, 0, { reason: 'paused: lunch' });

  it('[UIT3] has a key each, which means what fits the agent', () => {
    expect(['Enter', 'n', 's', 'F2', 'Delete'].map((one) => actionOfKey(key(one), idle))).toEqual([
      'open',
      'spawn',
      'stop',
      'rename',
      'delete',
    ]);
    expect(actionOfKey(key('p'), idle)).toBe('pause');
    expect(actionOfKey(key('p'), paused)).toBe('resume');
    expect(actionOfKey(key('ArrowUp', { altKey: true }), idle)).toBe('up');
    expect(actionOfKey(key('n', { altKey: true }), idle)).toBeNull();
    expect(actionOfKey(key('N', { shiftKey: true }), idle)).toBeNull();
  });

  it('[UIT3] is offered only where it can be done', () => {
    const offered = (active: boolean, can: boolean, node = idle): string[] =>
      actionsFor({ node, active, can: () => can }).map(({ action }) => action);
    expect(offered(false, false)).toEqual(['open', 'spawn', 'rename', 'pause', 'delete']);
    expect(offered(true, true, paused)).toEqual([
      'open',
      'spawn',
      'rename',
      'stop',
      'resume',
      'up',
      'down',
      'in',
      'out',
      'delete',
    ]);
  });

  it('[UIT3] is asked about with what goes and what stays', () => {
    expect(deleteWords([])).toMatch(/^The agent is stopped and deleted.*Its home is put aside/);
    expect(deleteWords([idle, paused])).toMatch(/2 agents below it.*3 homes/);
    expect(stopWords(1)).toMatch(/^1 agent below it works/);
  });
});

describe('letters', () => {
  const list = ['alpha', 'beta', 'bravo', 'brick'].map((name, at) => makeNode(name, null, at));
  const rows = rowsOf(branchesOf(mapOf(...list)), { collapsed: new Set<string>(), only: null });
  const typing = () => {
    let now = 0;
    const ahead = new TypeAhead(() => now);
    const found = (from: string, letter: string): string | null => {
      const id = ahead.find(rows, idOf(from), letter);
      return rows.find((row) => row.node.id === id)?.node.name ?? null;
    };
    return { ahead, found, wait: (ms: number) => (now += ms) };
  };

  it('[UIT3] go to the next name that begins with them', () => {
    const { found, wait } = typing();
    expect(found('alpha', 'b')).toBe('beta');
    expect(found('beta', 'R')).toBe('bravo');
    expect(found('bravo', 'i')).toBe('brick');
    expect(found('brick', 'x')).toBeNull();
    wait(1000);
    expect(found('brick', 'a')).toBe('alpha');
  });

  it('that are the same go on, around the end', () => {
    const { found } = typing();
    expect(['beta', 'bravo', 'brick'].map((from) => found(from, 'b'))).toEqual([
      'bravo',
      'brick',
      'beta',
    ]);
  });

  it('belong together for a moment only', () => {
    const { ahead, found, wait } = typing();
    expect(ahead.open).toBe(false);
    found('alpha', 'b');
    expect(ahead.open).toBe(true);
    wait(1000);
    expect(ahead.open).toBe(false);
  });
});

describe('closed branches', () => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  });
  afterEach(() => stored.clear());
  const session = (n: number): string => `ses_${String(n).padStart(22, '0')}`;

  it('[UIT8] are remembered for each session', () => {
    rememberCollapsed(session(1), [idOf('a'), idOf('b')]);
    rememberCollapsed(session(2), [idOf('c')]);
    expect(recallCollapsed(session(1))).toEqual([idOf('a'), idOf('b')]);
    rememberCollapsed(session(1), []);
    expect(recallCollapsed(session(1))).toEqual([]);
    expect(recallCollapsed(session(2))).toEqual([idOf('c')]);
  });

  it('[UIT8] take bounded room, and the oldest session goes first', () => {
    for (let n = 0; n <= KEPT_SESSIONS; n += 1) rememberCollapsed(session(n), [idOf('a')]);
    expect(recallCollapsed(session(0))).toEqual([]);
    expect(recallCollapsed(session(1))).toEqual([idOf('a')]);
    expect(stored.size).toBe(KEPT_SESSIONS + 1);
    const many = Array.from({ length: KEPT_BRANCHES + 5 }, (_, at) => idOf(`many-${at}`));
    rememberCollapsed(session(1), many);
    expect(recallCollapsed(session(1))).toEqual(many.slice(5));
  });

  it('that are stored badly are none', () => {
    for (const bad of ['{', '[1]', '["x"]', 'null']) {
      stored.set(`filepath:collapsed:${session(1)}`, bad);
      expect(recallCollapsed(session(1))).toEqual([]);
    }
  });
});

describe('what a row has no room for', () => {
  const own = { ...NO_USAGE, calls: 1, costUsd: 0.5, tokens: { ...NO_USAGE.tokens, input: 1200 } };

  it('[UIT9] is tokens and cost, of itself and with all below', () => {
    const node = makeNode('one', null, 0, {
      usage: own,
      subtree: { ...own, calls: 2, costUsd: 2 },
      contextPct: 0.61,
      budget: { usd: 10, tokens: null },
    });
    expect(nodeFacts(node, mapOf()).map(({ name, value }) => `${name}: ${value}`)).toEqual([
      'status: Idle',
      'agent: custom',
      'itself: 1.2k tok · $0.50',
      'with all below: 1.2k tok · $2.00',
      'budget: $10.00',
      'context: 61%',
    ]);
    expect(nodeDescription(node, mapOf())).toMatch(/^agent custom, itself 1.2k tok · \$0.50, /);
  });

  it('[UIT9] is said once where nothing is below', () => {
    const node = makeNode('one', null, 0, { usage: own, subtree: own, blocked: 'no budget' });
    const facts = nodeFacts(node, mapOf());
    expect(facts[0]?.value).toBe('Idle, no budget');
    expect(facts.map(({ name }) => name)).toEqual(['status', 'agent', 'used']);
  });

  it('[UIT16] is whose work its own overlaps with, or conflicts with, and in which files', () => {
    const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const node = makeNode('one', null, 0, {
      conflict: {
        into: 'parent',
        target: 'root',
        ours: 'a'.repeat(40),
        files: ['x'],
        handed: true,
        seq: 1,
      },
      overlaps: [
        { node: idOf('two'), files },
        { node: idOf('gone'), files: ['x'] },
      ],
    });
    const facts = nodeFacts(node, mapOf(makeNode('two', null)));
    expect(facts.slice(3).map(({ name, value }) => `${name} ${value}`)).toEqual([
      'conflict with root: x, an agent has it as a task',
      'overlap with two: a, b, c, d, e and 2 more',
      'overlap with another agent: x',
    ]);
    expect(meetingOf(node)).toBe('in conflict');
    const { conflict: _none, ...overlapping } = node;
    expect(meetingOf(overlapping)).toBe('overlaps');
    expect(meetingOf({ ...overlapping, overlaps: [] })).toBeNull();
    expect(meetingOf(makeNode('two', null))).toBeNull();
  });
});
