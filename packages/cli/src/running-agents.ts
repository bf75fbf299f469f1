import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { startTimeOf } from '@filepath/worker/engine';

/** How many agents of this home have a process, by what their shims wrote: see "Epoch" in design/contracts.md. */
export function countRunningAgents(home: string): number {
  const agents = join(home, 'agents');
  return namesIn(agents).filter((slug) => {
    const runs = join(agents, slug, 'run');
    return namesIn(runs).some((epoch) => hasProcess(join(runs, epoch)));
  }).length;
}

function hasProcess(epoch: string): boolean {
  if (existsSync(join(epoch, 'exit'))) return false;
  try {
    const [pid, start, boot] = readFileSync(join(epoch, 'pid'), 'utf8').trim().split(' ');
    return startTimeOf(Number(pid)) === `${start}/${boot}`;
  } catch {
    return false;
  }
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}
