import { join } from 'node:path';
import { shimRuns } from '../executor/process-files.ts';
import { type Home, RunDir } from '../home.ts';
import { homeLabel, onceLabel } from './container-name.ts';
import type { Engine } from './engine.ts';

const Finished = new Set(['exited', 'created', 'dead', 'stopped', 'configured']);

/** Takes away containers of this home that have ended and whose shim is gone: a kill or a power cut left them. */
export async function sweep(engine: Engine, home: Home): Promise<void> {
  // Nobody waits for these any more: a home has one runner.
  for (const { Id } of await engine.list(onceLabel(home.agents))) await engine.remove(Id);
  for (const { Id, State, Labels } of await engine.list(homeLabel(home.agents))) {
    if (!Finished.has(State.toLowerCase())) continue;
    const slug = Labels['filepath.agent'] ?? '';
    const epoch = Number(Labels['filepath.epoch']);
    if (!(epoch > 0) || !/^[A-Za-z0-9_.-]+$/.test(slug)) continue;
    if (!shimRuns(new RunDir(join(home.agents, slug), epoch))) await engine.remove(Id);
  }
}
