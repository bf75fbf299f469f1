import type { SessionStatus } from '@filepath/protocol';
import type { NodeTable } from './node-table.ts';

/**
 * draft until something was asked; then running, unless all that could work is paused, it was stopped, or its root failed
 * with nothing at work.
 */
export function statusOf(
  meta: { started: boolean; stopped: boolean },
  nodes: NodeTable,
): SessionStatus {
  if (!meta.started) return 'draft';
  const work = nodes.atWork();
  if (work.free) return 'running';
  const roots = nodes.roots();
  const all = (n: number): boolean => roots.n > 0 && n === roots.n;
  if (work.held || all(roots.held)) return 'paused';
  if (meta.stopped || all(roots.stopped)) return 'stopped';
  return roots.failed > 0 ? 'error' : 'running';
}
