import type { AttentionItem } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { News } from '../src/lib/state/news.ts';
import { tabStatus, tabTitle, treeStatus } from '../src/lib/text/tab-status.ts';

type State = 'idle' | 'thinking' | 'running' | 'done' | 'error';
const tree = (root: State, ...below: State[]) => [
  { status: root, parentId: null },
  ...below.map((status) => ({ status, parentId: 'thr_root' as never })),
];

it('[UIH6] a tab tells what waits before what failed, works or is done', () => {
  expect(treeStatus([])).toBe(null);
  expect(treeStatus(tree('idle', 'done'))).toBe(null);
  expect(treeStatus(tree('done', 'idle'))).toBe('done');
  expect(treeStatus(tree('done', 'thinking'))).toBe('running');
  expect(treeStatus(tree('running', 'error'))).toBe('error');
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
