import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  MANIFEST_BYTES,
  MANIFEST_NAME,
  SNAPSHOT_VERSION,
  type SnapshotManifest,
} from '@filepath/protocol';
import { borrowedMirror } from '../executor/borrowed-mirror.ts';
import { type Place, Refusal } from '../executor/executor.ts';
import { shownMirror, type Mirrors } from '../git/mirrors.ts';
import { inWorkspace, type WorkspaceTools } from '../jobs/workspace-command.ts';
import { type WorkspaceFacts, workspaceFacts } from './facts.ts';
import { ownPack } from './own-pack.ts';
import { rewrite, type Rewritten } from './rewrite.ts';
import { BLOCK, type TarEntry } from './tar-header.ts';
import { TarWriter } from './tar-writer.ts';

/**
 * A file that changes while it is read has the size it had at first; one that its user cannot read is left out. What a
 * workspace borrows stands in a pack of its own, so the file that names the lender is left out too.
 */
const SCRIPT = `
tar --create --file=- --format=gnu --sort=name --hard-dereference --no-acls --no-xattrs --no-selinux \\
  --numeric-owner --ignore-failed-read --anchored --no-wildcards \\
  --exclude=./.git/objects/info/alternates --directory=/workspace . || [ $? -eq 1 ]
`;

const MANIFEST: TarEntry = {
  kind: 'file',
  path: MANIFEST_NAME,
  mode: 0o644,
  mtime: 0,
  size: MANIFEST_BYTES,
  target: '',
};

export type Export = WorkspaceTools & {
  place: Place;
  mirrors: Mirrors;
  /** Most bytes of the archive. */
  most: number;
  /** A directory to work in, which is made here. */
  folder: string;
  signal: AbortSignal;
};

export type Exported = { path: string; sha256: string; size: number; manifest: SnapshotManifest };

/** Makes a snapshot of a workspace as a file. Throws a Refusal. */
export async function exportWorkspace(job: Export): Promise<Exported> {
  const { place, mirrors, folder, most, signal } = job;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const mirror = borrowedMirror(place, mirrors);
  const looked = join(folder, 'facts');
  const facts = await workspaceFacts(job, { place, mirror, path: looked, most, signal });
  const into = join(folder, 'pack.git');
  const packs =
    facts.pack === null
      ? []
      : await ownPack({ ...job, ...facts, path: looked, from: facts.pack, into });
  const path = join(folder, 'snapshot.tar');
  const file = await open(path, 'wx+', 0o600);
  try {
    const writer = new TarWriter(file, most);
    await writer.entry(MANIFEST);
    await writer.data(Buffer.alloc(MANIFEST_BYTES, ' '));
    let done: Rewritten | null = null;
    const onStdout = async (stdout: AsyncIterable<Buffer>): Promise<void> => {
      done = await rewrite(stdout, writer, packs);
    };
    await inWorkspace(job, { place, mirror, script: SCRIPT, args: [], onStdout, signal });
    if (done === null) throw new Refusal('tar ended without a word');
    await writer.end();
    const manifest = manifestOf(place, facts, done, mirror === null ? null : shownMirror(mirror));
    await file.write(JSON.stringify(manifest), BLOCK);
    await file.sync();
    return { path, sha256: await hashOf(path), size: writer.size, manifest };
  } finally {
    await file.close();
  }
}

function manifestOf(
  { slug }: Place,
  { head, branch, dirty, sockets, unreadable }: WorkspaceFacts,
  { files, bytes, special, links }: Rewritten,
  remote: string | null,
): SnapshotManifest {
  return {
    version: SNAPSHOT_VERSION,
    slug,
    remote: remote !== null && remote.length <= 512 ? remote : null,
    branch: branch === null ? null : Buffer.from(branch, 'latin1').toString().slice(0, 256),
    head,
    dirty,
    created: new Date().toISOString(),
    files,
    bytes,
    left: { special: special + sockets, links, unreadable },
  };
}

export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}
