import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_NAME, type SnapshotSource, type ThreadId } from '@filepath/protocol';
import { type Place, Refusal } from '../executor/executor.ts';
import { jobSettings } from '../jobs/settings.ts';
import { inWorkspace, type WorkspaceTools } from '../jobs/workspace-command.ts';
import { showBytes } from '../limits/settings.ts';
import { ROOT } from './rewrite.ts';
import { readTar, shown } from './tar-reader.ts';
import { download, type Worker } from './transfer.ts';
import { leaves, namesOf, Walk } from './walk.ts';

/** It writes into an empty folder, and over nothing. */
const SCRIPT = `
tar --extract --file=- --directory=/workspace --strip-components=1 --no-same-owner --same-permissions \\
  --keep-old-files --delay-directory-restore ${ROOT}
`;

/** A snapshot that a workspace is to be made from, and where it is had. */
export type Restore = { thread: ThreadId; source: SnapshotSource; worker: Worker };

/**
 * Makes a workspace in an empty folder of the agent's directory. Every member of the archive is checked before the first
 * one is extracted, inside the sandbox. Throws a Refusal.
 */
export async function restoreWorkspace(
  tools: WorkspaceTools,
  place: Place,
  folder: string,
  { thread, source, worker }: Restore,
  signal: AbortSignal,
): Promise<void> {
  const most = jobSettings(tools.env).snapshotBytes;
  if (source.size > most) {
    throw new Refusal(`the snapshot is larger than ${showBytes(most)}: set FILEPATH_SNAPSHOT_MAX`);
  }
  const path = join(place.dir, 'restore.tar');
  await rm(path, { force: true });
  try {
    await download(worker, thread, source, path, signal);
    await checkSnapshot(createReadStream(path));
    const file = await open(path, 'r');
    try {
      const command = { place, folder, mirror: null, script: SCRIPT, args: [], stdin: file.fd };
      await inWorkspace(tools, { ...command, signal });
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(`the snapshot ${source.id} cannot be restored: ${error.message}`);
  } finally {
    await rm(path, { force: true });
  }
}

/** Throws a Refusal for an archive that is not one of ours in every byte of its members' heads. */
export async function checkSnapshot(stream: AsyncIterable<Buffer>): Promise<void> {
  const walk = new Walk();
  let members = 0;
  await readTar(
    stream,
    {
      entry: (entry) => {
        members += 1;
        const [root, ...names] = namesOf(entry);
        if (members === 1) {
          if (entry.kind === 'file' && entry.path === MANIFEST_NAME) return;
          throw new Refusal('it does not begin with a manifest');
        }
        if (members === 2) {
          if (entry.kind === 'directory' && entry.path === `${ROOT}/`) return;
          throw new Refusal('it has no workspace');
        }
        if (root !== ROOT) throw new Refusal(`${shown(entry.path)} is outside of the workspace`);
        walk.step(entry, names);
        if ((entry.mode & ~0o777) !== 0)
          throw new Refusal(`${shown(entry.path)} has special rights`);
        if (entry.kind === 'link' && leaves(names, entry.target)) {
          throw new Refusal(`the link ${shown(entry.path)} leads out of the workspace`);
        }
      },
      data: () => undefined,
    },
    { exact: true },
  );
  if (members < 2) throw new Refusal('it has no workspace');
}
