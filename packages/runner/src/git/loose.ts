import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { withFile } from '../beneath.ts';
import type { Move } from './reflog.ts';

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const REF = /^ref: (refs\/heads\/[\w+@-][\w.+@/-]*)$/;
const OBJECT_BYTES = 64 * 1024;

/** The commit that HEAD names, as far as files of their own say it. All of it is the agent's text. */
export function headOf(workspace: string): string | null {
  const head = readStart(workspace, ['.git', 'HEAD']);
  const ref = head === null ? undefined : REF.exec(head)?.[1];
  const names = ref?.split('/') ?? [];
  if (names.some((name) => name === '' || name === '.' || name === '..')) return null;
  const hash = ref === undefined ? head : readStart(workspace, ['.git', ...names]);
  return hash !== null && HASH.test(hash) ? hash : null;
}

/** The commit of the agent's branch, where a file of its own says it. */
export function branchTip(workspace: string, slug: string): string | null {
  const hash = readStart(workspace, ['.git', 'refs', 'heads', 'filepath', slug]);
  return hash !== null && HASH.test(hash) ? hash : null;
}

function readStart(workspace: string, names: readonly string[]): string | null {
  return withFile(workspace, names, (fd) => {
    const buffer = Buffer.alloc(512);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0)).trim();
  });
}

/** A commit that was made in this workspace and not packed yet, as the move that made it. Its hash is checked. */
export function looseCommit(workspace: string, hash: string): Move | null {
  const content = withFile(
    workspace,
    ['.git', 'objects', hash.slice(0, 2), hash.slice(2)],
    (fd) => {
      const buffer = Buffer.alloc(OBJECT_BYTES);
      const bytes = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0));
      try {
        return inflateSync(bytes, { maxOutputLength: 4 * OBJECT_BYTES });
      } catch {
        return null;
      }
    },
  );
  if (content === null || content.subarray(0, 7).toString() !== 'commit ') return null;
  const kind = hash.length === 64 ? 'sha256' : 'sha1';
  if (createHash(kind).update(content).digest('hex') !== hash) return null;
  const [head = '', ...rest] = content.toString('utf8', content.indexOf(0) + 1).split('\n\n');
  const from = /^parent ([0-9a-f]{40}|[0-9a-f]{64})$/m.exec(head)?.[1] ?? '0'.repeat(hash.length);
  return { from, to: hash, message: `commit: ${rest[0]?.split('\n')[0] ?? ''}` };
}
