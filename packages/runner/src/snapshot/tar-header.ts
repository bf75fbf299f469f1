import { Refusal } from '../executor/executor.ts';

export const BLOCK = 512;

/** One member of an archive. Names are bytes, each kept as one character. */
export type TarEntry = {
  kind: 'file' | 'directory' | 'link' | 'special';
  path: string;
  mode: number;
  mtime: number;
  /** Bytes of a file. */
  size: number;
  /** Where a link leads. */
  target: string;
};

/** A header as it stands in an archive, before long names are put in their place. */
export type TarHeader = Omit<TarEntry, 'kind'> & { type: string };

const MAGIC = 'ustar  \0';
const LONG_LINK = '././@LongLink';
const NAME = 100;
const TYPES = { file: '0', directory: '5', link: '2' } as const;

/** The headers of a member in the one form in which this program writes them. */
export function encodeEntry(entry: TarEntry): Buffer {
  if (entry.kind === 'special') throw new Error('only files, folders and links are written');
  const { path, target, mode, mtime, size } = entry;
  return Buffer.concat([
    ...(target.length > NAME ? [longName('K', target)] : []),
    ...(path.length > NAME ? [longName('L', path)] : []),
    encodeHeader({ type: TYPES[entry.kind], path, target, mode, mtime, size }),
  ]);
}

/** Zeros after a member of this size, up to the next block. */
export const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** Null for a block of zeros. Throws a Refusal for anything that is not exactly a header of this form. */
export function decodeHeader(block: Buffer): TarHeader | null {
  if (block.every((byte) => byte === 0)) return null;
  const text = block.toString('latin1');
  if (text.slice(257, 265) !== MAGIC) throw new Refusal('it has a member of another tar format');
  if (octal(text.slice(148, 156)) !== checksum(block)) {
    throw new Refusal('the checksum of a member is wrong');
  }
  return {
    type: text.charAt(156),
    path: untilNul(text.slice(0, NAME)),
    target: untilNul(text.slice(157, 257)),
    mode: octal(text.slice(100, 108)),
    size: octal(text.slice(124, 136)),
    // A time that this program would not write is no reason to refuse a file.
    mtime: OCTAL.test(text.slice(136, 148)) ? octal(text.slice(136, 148)) : 0,
  };
}

function longName(type: 'L' | 'K', name: string): Buffer {
  const size = name.length + 1;
  const head = encodeHeader({ type, path: LONG_LINK, target: '', mode: 0, mtime: 0, size });
  return Buffer.concat([head, Buffer.from(`${name}\0`, 'latin1'), Buffer.alloc(padding(size))]);
}

function encodeHeader({ type, path, target, mode, mtime, size }: TarHeader): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(path.slice(0, NAME), 0, 'latin1');
  block.write(digits(mode, 7), 100, 'latin1');
  block.write(digits(0, 7), 108, 'latin1');
  block.write(digits(0, 7), 116, 'latin1');
  block.write(digits(size, 11), 124, 'latin1');
  block.write(digits(mtime, 11), 136, 'latin1');
  block.write(type, 156, 'latin1');
  block.write(target.slice(0, NAME), 157, 'latin1');
  block.write(MAGIC, 257, 'latin1');
  block.write(`${digits(checksum(block), 6)}\0 `, 148, 'latin1');
  return block;
}

const digits = (value: number, width: number): string => value.toString(8).padStart(width, '0');

/** The field of the checksum itself counts as spaces. */
function checksum(block: Buffer): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

const OCTAL = /^ *([0-7]+)[ \0]*$/;

function octal(field: string): number {
  const found = OCTAL.exec(field)?.[1];
  if (found === undefined) throw new Refusal('a number of a member is not octal');
  return Number.parseInt(found, 8);
}

const untilNul = (field: string): string => field.replace(/\0.*$/s, '');
