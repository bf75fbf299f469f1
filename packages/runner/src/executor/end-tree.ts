import { setTimeout as delay } from 'node:timers/promises';
import { childrenOf, signal, statOf } from '../proc.ts';

const TRIES = 200;
const TRY_MS = 5;

/**
 * Ends a process that makes a sandbox, and the sandbox: a new one does not die with its maker yet. The maker is held still, so
 * that it makes none between the look for its children and its end. `gone` says that its number may be another's by now.
 */
export async function endTree(pid: number, gone: () => boolean): Promise<void> {
  if (gone()) return;
  signal(pid, 'SIGSTOP');
  for (let tries = 0; tries < TRIES && statOf(pid)?.state !== 'T'; tries++) {
    await delay(TRY_MS);
    if (gone()) return;
  }
  for (const child of childrenOf(pid)) signal(child, 'SIGKILL');
  signal(pid, 'SIGKILL');
}
