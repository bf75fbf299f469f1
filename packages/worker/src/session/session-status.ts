import type { SessionStatus } from '@filepath/protocol';
import type { NodeRow } from './node-row.ts';

/** draft until something was asked; then running, unless it was stopped or its root failed with nothing at work. */
export function statusOf(
  meta: { started: boolean; stopped: boolean },
  rows: readonly NodeRow[],
): SessionStatus {
  if (!meta.started) return 'draft';
  const working = rows.some(
    (row) =>
      row.status === 'running' ||
      row.status === 'thinking' ||
      row.reason === 'queued' ||
      row.reason === 'stopping',
  );
  if (working) return 'running';
  const roots = rows.filter((row) => row.parent_id === null);
  const halted = roots.length > 0 && roots.every((row) => row.reason === 'stopped');
  if (meta.stopped || halted) return 'stopped';
  return roots.some((row) => row.status === 'error') ? 'error' : 'running';
}
