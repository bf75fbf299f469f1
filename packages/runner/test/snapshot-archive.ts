import { Readable } from 'node:stream';
import { MANIFEST_BYTES, MANIFEST_NAME } from '@filepath/protocol';
import { BLOCK, encodeEntry, padding, type TarEntry } from '../src/snapshot/tar-header.ts';

export type Member = Partial<TarEntry> & { path: string; content?: string };

const MANIFEST: Member = { path: MANIFEST_NAME, content: '{}'.padEnd(MANIFEST_BYTES) };
const ROOT: Member = { path: 'workspace/', kind: 'directory' };

export function member({ content = '', ...more }: Member): Buffer {
  const bytes = Buffer.from(content);
  const plain = { kind: 'file', mode: 0o644, mtime: 1, target: '', size: bytes.length } as const;
  const head = encodeEntry({ ...plain, ...more });
  return Buffer.concat([head, bytes, Buffer.alloc(padding(bytes.length))]);
}

export const end = Buffer.alloc(2 * BLOCK);

/** A snapshot with these members, each given as such or as bytes. */
export function archive(...members: (Member | Buffer)[]): Buffer {
  const all = [MANIFEST, ROOT, ...members];
  return Buffer.concat([...all.map((one) => (Buffer.isBuffer(one) ? one : member(one))), end]);
}

/** The bytes as a stream of odd pieces. */
export function streamOf(bytes: Buffer): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 1021) pieces.push(bytes.subarray(at, at + 1021));
  return Readable.from(pieces);
}

/** Puts bytes into a header and makes its checksum right again. */
export function patched(header: Buffer, at: number, text: string): Buffer {
  const block = Buffer.from(header);
  block.write(text, at, 'latin1');
  block.fill(' ', 148, 156);
  const sum = block.subarray(0, BLOCK).reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
