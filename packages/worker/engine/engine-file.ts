import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod';

import { EngineError } from './errors.ts';
import { isAlive, isWorkerd, type ProcessIdentity } from './process-identity.ts';

const EngineFile = z.object({ pid: z.int().positive(), startTime: z.string().min(1) });

export function engineFile(home: string): string {
  return join(home, 'engine.json');
}

/** The workerd process noted in this home, if it still lives. */
export function runningEngine(home: string): ProcessIdentity | null {
  try {
    const noted = EngineFile.parse(JSON.parse(readFileSync(engineFile(home), 'utf8')));
    return isAlive(noted) && isWorkerd(noted.pid) ? noted : null;
  } catch {
    return null;
  }
}

/**
 * Ends a workerd that a killed instance left behind. Only the holder of the home's lock may call this.
 * A process whose start time or executable differs from what was noted is somebody else's and stays.
 */
export async function endLeftOverEngine(home: string): Promise<boolean> {
  const leftOver = runningEngine(home);
  if (leftOver !== null) {
    process.kill(leftOver.pid, 'SIGKILL');
    for (let waited = 0; isAlive(leftOver); waited += 10) {
      if (waited > 5_000) {
        throw new EngineError(
          `The engine that an earlier start left behind (process ${leftOver.pid}) does not end; end it and start again.`,
        );
      }
      await delay(10);
    }
  }
  rmSync(engineFile(home), { force: true });
  return leftOver !== null;
}
