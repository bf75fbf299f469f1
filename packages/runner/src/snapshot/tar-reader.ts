import { Refusal } from '../executor/executor.ts';
import { ByteSource } from './byte-source.ts';
import { BLOCK, decodeHeader, encodeEntry, padding, type TarEntry } from './tar-header.ts';

const LONGEST_NAME = 4096;
const KINDS: Readonly<Record<string, TarEntry['kind'] | undefined>> = {
  '0': 'file',
  '5': 'directory',
  '2': 'link',
  '3': 'special',
  '4': 'special',
  '6': 'special',
};

export type TarSink = {
  entry(entry: TarEntry): Promise<void> | void;
  /** The bytes of the file that came last. */
  data(bytes: Buffer): Promise<void> | void;
};

/**
 * Reads an archive, member by member. It knows files, folders, links, and long names as GNU tar writes them, and
 * refuses everything else: hard links, sparse files, extended headers. With `exact`, a member must stand there byte
 * for byte as this program writes it, so that whoever extracts it can see nothing else in it. Throws a Refusal.
 */
export async function readTar(
  stream: AsyncIterable<Buffer>,
  sink: TarSink,
  { exact }: { exact: boolean },
): Promise<void> {
  const source = new ByteSource(stream);
  for (;;) {
    const raw: Buffer[] = [];
    const entry = await nextEntry(source, raw);
    if (entry === null) return end(source);
    if (exact && (entry.kind === 'special' || !encodeEntry(entry).equals(Buffer.concat(raw)))) {
      throw new Refusal(`${shown(entry.path)} is not written as a snapshot has it`);
    }
    await sink.entry(entry);
    for (let missing = entry.size; missing > 0;) {
      const piece = await source.some(missing);
      if (piece === null) throw new Refusal('it is cut short');
      missing -= piece.length;
      await sink.data(piece);
    }
    const rest = await source.exactly(padding(entry.size));
    if (exact && rest.some((byte) => byte !== 0)) throw new Refusal('it hides bytes in a gap');
  }
}

async function nextEntry(source: ByteSource, raw: Buffer[]): Promise<TarEntry | null> {
  const long: { L?: string; K?: string } = {};
  for (;;) {
    const block = await source.exactly(BLOCK);
    const header = decodeHeader(block);
    if (header === null) {
      if (raw.length > 0) throw new Refusal('a long name has no member');
      return null;
    }
    raw.push(block);
    const { type, ...entry } = header;
    if (type === 'L' || type === 'K') {
      if (long[type] !== undefined) throw new Refusal('a member has two long names');
      long[type] = await readName(source, entry.size, raw);
      continue;
    }
    const kind = KINDS[type];
    if (kind === undefined) {
      throw new Refusal(`${shown(entry.path)} is of a kind that no snapshot has (${shown(type)})`);
    }
    if (kind !== 'file' && entry.size !== 0) throw new Refusal('what is no file has content');
    return { ...entry, kind, path: long.L ?? entry.path, target: long.K ?? entry.target };
  }
}

async function readName(source: ByteSource, size: number, raw: Buffer[]): Promise<string> {
  if (size < 2 || size > LONGEST_NAME + 1) throw new Refusal('a name is too long');
  const bytes = await source.exactly(size + padding(size));
  raw.push(bytes);
  const name = bytes.toString('latin1', 0, size - 1);
  if (name.includes('\0') || bytes[size - 1] !== 0) throw new Refusal('a name holds a zero');
  return name;
}

/** Two blocks of zeros, the first of which is read, and nothing but zeros after them. */
async function end(source: ByteSource): Promise<void> {
  let zeros = 0;
  for (let piece = await source.some(65536); piece !== null; piece = await source.some(65536)) {
    zeros += piece.length;
    if (piece.some((byte) => byte !== 0)) throw new Refusal('something comes after its end');
  }
  if (zeros < BLOCK) throw new Refusal('it is cut short');
}

/** A name for people's eyes. */
export function shown(name: string): string {
  return JSON.stringify(Buffer.from(name, 'latin1').toString('utf8').slice(0, 200));
}
