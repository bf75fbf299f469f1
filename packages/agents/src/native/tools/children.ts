import type { LoopTool } from '@filepath/loop';
import { treeTools } from '../../tree/tools.ts';
import type { Kit } from '../kit.ts';

/** Seconds that a model may wait in one call. */
const LONGEST_WAIT = 3_600;

const WAITING = { type: 'status', state: 'running', reason: 'waits for its children' } as const;

export function childTools({ gateway, emit, called }: Kit): LoopTool[] {
  return treeTools({ gateway, longestWait: LONGEST_WAIT, waits: () => emit(WAITING), called });
}
