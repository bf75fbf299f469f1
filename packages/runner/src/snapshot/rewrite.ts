import { createReadStream } from 'node:fs';
import { Refusal } from '../executor/executor.ts';
import type { PackFile } from './own-pack.ts';
import type { TarEntry } from './tar-header.ts';
import { readTar } from './tar-reader.ts';
import type { TarWriter } from './tar-writer.ts';
import { leaves, namesOf, Walk } from './walk.ts';

const PACKS = ['.git', 'objects', 'pack'];
const LATEST = 0o77777777777;

export const ROOT = 'workspace';

export type Rewritten = { files: number; bytes: number; special: number; links: number };

/**
 * Turns what tar in a sandbox says into a snapshot's members: below `workspace/`, without owners, pipes, devices and
 * links that lead out; with packs of its own in place of what was borrowed. Throws a Refusal.
 */
export async function rewrite(
  stdout: AsyncIterable<Buffer>,
  writer: TarWriter,
  packs: readonly PackFile[],
): Promise<Rewritten> {
  const walk = new Walk();
  const done: Rewritten = { files: 0, bytes: 0, special: 0, links: 0 };
  let waiting = [...packs];
  let begun = false;
  let keeping = false;
  let packFolder = false;

  const put = async (entry: TarEntry, names: readonly string[]): Promise<void> => {
    const slash = entry.kind === 'directory' ? '/' : '';
    await writer.entry({ ...entry, path: [ROOT, ...names].join('/') + slash });
    done.files += 1;
    done.bytes += entry.size;
  };

  /** The packs whose place is before these names; null: all that are left. */
  const putPacks = async (names: readonly string[] | null): Promise<void> => {
    for (;;) {
      const [next] = waiting;
      if (next === undefined) return;
      const place = [...PACKS, next.name];
      if (names !== null && !isBefore(place, names)) return;
      if (!packFolder) throw new Refusal('the folder .git/objects/pack of the workspace is gone');
      waiting = waiting.slice(1);
      const { path, size } = next;
      await put({ kind: 'file', path: '', mode: 0o444, mtime: 0, size, target: '' }, place);
      for await (const bytes of createReadStream(path)) await writer.data(bytes as Buffer);
    }
  };

  await readTar(
    stdout,
    {
      entry: async (entry) => {
        keeping = false;
        const [dot, ...names] = namesOf(entry);
        if (dot !== '.' || begun !== names.length > 0)
          throw new Refusal('its members have no root');
        const plain = { ...entry, mode: modeOf(entry), mtime: Math.min(entry.mtime, LATEST) };
        if (!begun) {
          begun = true;
          await writer.entry({ ...plain, path: `${ROOT}/` });
          return;
        }
        walk.step(entry, names);
        await putPacks(names);
        if (entry.kind === 'special') return void (done.special += 1);
        if (entry.kind === 'link' && leaves(names, entry.target)) return void (done.links += 1);
        if (names.join('/') === PACKS.join('/')) packFolder = entry.kind === 'directory';
        // The same pack may be there already.
        if (packs.some(({ name }) => names.join('/') === [...PACKS, name].join('/'))) return;
        keeping = true;
        await put(plain, names);
      },
      data: (bytes) => (keeping ? writer.data(bytes) : undefined),
    },
    { exact: false },
  );
  if (!begun) throw new Refusal('it is empty');
  await putPacks(null);
  return done;
}

/** Folders stay usable, and nobody gets rights of another user. */
const modeOf = ({ kind, mode }: TarEntry): number =>
  kind === 'link' ? 0o777 : kind === 'directory' ? (mode & 0o777) | 0o700 : mode & 0o777;

/** In the order of an archive. */
function isBefore(a: readonly string[], b: readonly string[]): boolean {
  for (const [i, name] of a.entries()) {
    const other = b[i];
    if (other === undefined) return false;
    if (name !== other) return name < other;
  }
  return a.length < b.length;
}
