import type { WorkspaceFile } from './workspace.ts';

const BLOCK = 512;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Files as an archive that `tar` reads. The same files give the same bytes. */
export function writeTar(files: readonly WorkspaceFile[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  for (const { path, text } of files) {
    const content = encoder.encode(text);
    parts.push(...member('x', 'path', encoder.encode(record(path))));
    parts.push(...member('0', 'file', content));
  }
  parts.push(new Uint8Array(2 * BLOCK));
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Of an archive that `writeTar` made; throws for any other. */
export function readTar(bytes: Uint8Array): WorkspaceFile[] {
  const files: WorkspaceFile[] = [];
  let path: string | null = null;
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const head = bytes.subarray(at, at + BLOCK);
    if (head.every((byte) => byte === 0)) return files;
    const size = Number.parseInt(decoder.decode(head.subarray(124, 135)), 8);
    const type = String.fromCharCode(head[156] ?? 0);
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (!Number.isSafeInteger(size) || content.length !== size)
      throw new Error('the archive is cut');
    if (type === 'x') path = /^\d+ path=([^\n]*)\n$/.exec(decoder.decode(content))?.[1] ?? null;
    else if (type === '0' && path !== null) files.push({ path, text: decoder.decode(content) });
    else throw new Error('the archive has a member of another kind');
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Error('the archive has no end');
}

/** A record of pax: its length counts itself. */
function record(path: string): string {
  const rest = ` path=${path}\n`;
  const bytes = encoder.encode(rest).length;
  let length = bytes + 1;
  while (String(length).length + bytes !== length) length = String(length).length + bytes;
  return `${length}${rest}`;
}

function member(type: 'x' | '0', name: string, content: Uint8Array): Uint8Array[] {
  const head = new Uint8Array(BLOCK);
  const put = (at: number, text: string): void => head.set(encoder.encode(text), at);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  put(0, name);
  put(100, `${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`);
  put(124, `${octal(content.length, 11)}\0${octal(0, 11)}\0`);
  put(148, '        ');
  put(156, type);
  put(257, 'ustar\u000000');
  put(
    148,
    `${octal(
      head.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
  );
  const pad = new Uint8Array((BLOCK - (content.length % BLOCK)) % BLOCK);
  return [head, content, pad];
}
