import { AgentState, worksStill } from '@filepath/protocol';
import type { NodeRow } from './node-row.ts';

/** Whether a child works, or will as soon as it can. `sentTo`: the seq of what its parent said to it last. */
export function stillWorks(row: NodeRow, sentTo: number): boolean {
  // Its work is open also while it hands off, is started anew, or is held still in line.
  if (row.open === 1 || worksStill(AgentState.parse(row.status), row.reason)) return true;
  if (row.halt !== null) return row.halt === 0;
  // A status may be on its way: of the task that it was made with, or of what its parent said to it last.
  return (row.task !== null && row.thread_seq === 0) || row.thread_seq < sentTo;
}
