import type { AttentionItem } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { DoneNews, News } from '../src/lib/state/news.ts';
import { tabStatus, tabTitle, treeStatus } from '../src/lib/text/tab-status.ts';

type State = 'idle' | 'thinking' | 'running' | 'done' | 'error';
const tree = (root: State, ...below: State[]) => [
  { status: root, reason: null, parentId: null },
  ...below.map((status) => ({ status, reason: null, parentId: 'thr_root' as never })),
];

it('[UIH6] a tab tells what waits before what failed, works or is done', () => {
  expect(treeStatus([])).toBe(null);
  expect(treeStatus(tree('idle', 'done'))).toBe(null);
  expect(treeStatus(tree('done', 'idle'))).toBe('done');
  expect(treeStatus(tree('done', 'thinking'))).toBe('running');
  expect(treeStatus(tree('running', 'error'))).toBe('error');
  const asks = { status: 'running' as const, reason: 'waiting for a person', parentId: null };
  expect(treeStatus([asks, ...tree('running', 'error')])).toBe('waiting');
  expect(tabStatus(0, 'waiting')).toBe('waiting');
  expect(tabTitle('calm-41', 0, 'waiting')).toBe('calm-41 · filepath');
  expect(tabStatus(1, 'error')).toBe('waiting');
  expect(tabStatus(0, 'error')).toBe('error');
  expect(tabTitle('calm-41', 2, 'error')).toBe('(2) calm-41 · filepath');
  expect(tabTitle('calm-41', 0, 'error')).toBe('✗ calm-41 · filepath');
  expect(tabTitle('calm-41', 0, 'running')).toBe('● calm-41 · filepath');
  expect(tabTitle('calm-41', 0, 'done')).toBe('✓ calm-41 · filepath');
  expect(tabTitle('calm-41', 0, null)).toBe('calm-41 · filepath');
});

it('[UIH7] each thing that waits is told of once, and not at all if it waited before the page was opened', () => {
  const now = Date.parse('2026-01-01T10:00:00Z');
  const item = (id: string, at: string): AttentionItem => ({ id, at }) as AttentionItem;
  const news = new News(now);
  const old = item('old', '2026-01-01T09:00:00Z');
  const fresh = item('fresh', '2026-01-01T10:00:05Z');
  expect(news.take([old])).toEqual([]);
  expect(news.take([fresh, old])).toEqual([fresh]);
  expect(news.take([fresh, old])).toEqual([]);
});

it('[UIH7] what an agent waits for again is told again', () => {
  const item = (at: string): AttentionItem => ({ id: 'a', at }) as AttentionItem;
  const news = new News(Date.parse('2026-01-01T10:00:00Z'));
  expect(news.take([item('2026-01-01T10:00:05Z')])).toHaveLength(1);
  expect(news.take([])).toEqual([]);
  expect(news.take([item('2026-01-01T10:09:00Z')])).toHaveLength(1);
});

it('[UIH7] the end of a tree is told once, however short its work was, and not when the page reads of it', () => {
  const nodes = (...states: State[]) =>
    new Map(tree(states[0] ?? 'idle', ...states.slice(1)).map((node, n) => [`n${n}`, node]));
  const read = new DoneNews();
  const below = new Map([...nodes('done', 'idle')].slice(1));
  expect(read.take(below)).toBe(false);
  expect(read.take(nodes('done', 'idle')), 'its root came with the second frame').toBe(false);
  for (const before of ['idle', 'running', 'error'] as const) {
    const news = new DoneNews();
    expect(news.take(nodes(before))).toBe(false);
    expect(news.take(nodes('done'))).toBe(true);
    expect(news.take(nodes('done'))).toBe(false);
    expect(news.take(nodes('done', 'running'))).toBe(false);
    expect(news.take(nodes('done', 'done'))).toBe(true);
  }
});
