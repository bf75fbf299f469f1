const BLOCK = 512;
const NAME_BYTES = 100;

export type Entry = {
  /** Without a leading slash. */
  name: string;
  kind: 'file' | 'directory' | 'link';
  executable: boolean;
  size: number;
  /** Where a link points. */
  target: string;
};

const TYPES = { file: '0', directory: '5', link: '2', extended: 'x' } as const;

/** The head of an entry. Owner and time are always the same, so that the same content gives the same bytes. */
export function tarHead(entry: Entry): Buffer {
  const long = [
    ...(Buffer.byteLength(entry.name) > NAME_BYTES ? [record('path', entry.name)] : []),
    ...(Buffer.byteLength(entry.target) > NAME_BYTES ? [record('linkpath', entry.target)] : []),
  ];
  const mode = entry.kind === 'file' && !entry.executable ? 0o644 : 0o755;
  const own = head(entry.name, TYPES[entry.kind], mode, entry.size, entry.target);
  if (long.length === 0) return own;
  const body = Buffer.concat(long);
  const extended = head('long', TYPES.extended, 0o644, body.length, '');
  return Buffer.concat([extended, body, tarPadding(body.length), own]);
}

/** What follows the content of an entry. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

export const TAR_END = Buffer.alloc(2 * BLOCK);

function head(name: string, type: string, mode: number, size: number, target: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(cut(name), 0, NAME_BYTES, 'latin1');
  block.write(octal(mode, 8), 100, 'latin1');
  block.write(octal(0, 8), 108, 'latin1');
  block.write(octal(0, 8), 116, 'latin1');
  block.write(octal(size, 12), 124, 'latin1');
  block.write(octal(0, 12), 136, 'latin1');
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write(cut(target), 157, NAME_BYTES, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** The bytes of UTF-8, one a character. */
const cut = (text: string): string => Buffer.from(text).subarray(0, NAME_BYTES).toString('latin1');

const octal = (value: number, width: number): string =>
  `${value.toString(8).padStart(width - 1, '0')}\0`;

/** Its length counts itself. */
function record(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}
