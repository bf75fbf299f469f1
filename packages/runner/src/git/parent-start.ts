import { closeSync, constants, fstatSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { withDirectory } from '../beneath.ts';
import { type Place, Refusal, type RunTask } from '../executor/executor.ts';
import { failureOf, PACK, type Snapshot, snapshotEnvironment, snapshotOf } from './snapshot.ts';

const TIMEOUT_MS = 120_000;

export type ParentStart = {
  snapshot: Snapshot;
  /** The pack, to be read from its beginning; null where the mirror has every object. */
  pack: number | null;
  close(): void;
};

/** Whether there is anything to go on with. */
export function hasRepository(place: Place): boolean {
  return withDirectory(join(place.dir, 'workspace'), ['.git'], () => true) ?? false;
}

/**
 * The parent's work as it stands now, as a commit with its objects. git runs in the parent's sandbox, beside whatever the
 * parent does; what comes out of it is data. Throws a Refusal.
 */
export async function parentStart(
  task: RunTask,
  parent: Place,
  child: Place,
  mirror: string | null,
  signal: AbortSignal,
): Promise<ParentStart> {
  const path = join(child.dir, 'start.pack');
  const { O_WRONLY, O_CREAT, O_TRUNC } = constants;
  const write = openSync(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600);
  const read = openSync(path, 'r');
  // Whoever holds it open has it; a kill leaves nothing behind.
  unlinkSync(path);
  try {
    const result = await task({
      place: parent,
      environment: snapshotEnvironment(true),
      command: ['/bin/sh', '-c', PACK, 'start', `Uncommitted work of ${parent.slug}`, mirror ?? ''],
      timeoutMs: TIMEOUT_MS,
      signal,
      readOnly: true,
      stdout: write,
    });
    const snapshot = snapshotOf(result);
    if (snapshot === null) throw new Refusal(failureOf(result, TIMEOUT_MS / 1000));
    const packed = snapshot.packed && fstatSync(read).size > 0;
    return { snapshot, pack: packed ? read : null, close: () => closeSync(read) };
  } catch (error) {
    closeSync(read);
    throw error;
  } finally {
    closeSync(write);
  }
}

/** For a person: where the child's work begins. */
export function shownStart(parent: Place, { commit, files, partial }: Snapshot): string {
  const at = `from its parent ${parent.slug} at ${commit.slice(0, 12)}`;
  const left = partial ? '; some files were left out: unreadable, too large or too many' : '';
  if (files === 0) return `${at}${left}`;
  return `${at}, with its uncommitted work (${files} ${files === 1 ? 'file' : 'files'})${left}`;
}
