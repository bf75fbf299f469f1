import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BLOB_BUCKET, CHAT_FILE_LIMITS, chatFileOf, chatFileRef } from '@filepath/protocol/chat';
import { describe, expect, it } from 'vitest';
import type { Said } from '../../../src/liteclaw/context.ts';
import { Brought, withRefs } from '../../../src/liteclaw/files/file-parts.ts';
import { CHAT, hash, knownFiles } from './known-files.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
const dataUrl = (bytes: Buffer, type: string): string =>
  `data:${type};base64,${bytes.toString('base64')}`;
const file = (url: string, more: object = {}) => ({
  type: 'file' as const,
  mediaType: 'image/png',
  filename: 'a.png',
  url,
  ...more,
});
const KEPT = { sha256: hash(PNG), bytes: PNG.length, type: 'image/png' };
const OTHER = 'th_zzzzzzzzzzzzzzzzzzzzzzzzzz';

function given(parts: ReturnType<typeof file>[], before?: Said, known = knownFiles()) {
  const brought = new Brought();
  const made = withRefs({ id: 'u1', role: 'user', parts }, before, known, brought);
  return { made, brought };
}

describe('[CFILE2] a file that comes with a message', () => {
  it('becomes a ref, and its bytes are kept under their hash', () => {
    const { made, brought } = given([file(dataUrl(PNG, 'image/png'))]);
    const url = `r2://filepath-blobs/chats/${CHAT}/attachments/${KEPT.sha256}#sha256=${KEPT.sha256}`;
    expect(made).toMatchObject({ parts: [{ type: 'file', mediaType: 'image/png', url }] });
    expect(brought.files.get(KEPT.sha256)?.bytes).toEqual(PNG);
    expect(chatFileOf(CHAT, url)).toBe(KEPT.sha256);
  });

  it('names the bucket as the worker’s configuration does', () => {
    const file = join(import.meta.dirname, '../../../wrangler.jsonc');
    const [, name] =
      /"binding": "BLOBS", "bucket_name": "([^"]+)"/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(name).toBe(BLOB_BUCKET);
  });

  it.each([
    ['an SVG with a script', SVG, 'image/svg+xml', 'application/octet-stream'],
    [
      'a page that says it is an image',
      Buffer.from('<html>'),
      'image/png',
      'application/octet-stream',
    ],
    ['a page', Buffer.from('<html>'), 'text/html', 'text/html'],
    ['an image that says it is a page', PNG, 'text/html', 'image/png'],
    ['a type that is none', Buffer.from('x'), 'a b\r\nc: d', 'application/octet-stream'],
  ])('%s is what its bytes are', (_, bytes, mediaType, type) => {
    const { brought } = given([file(dataUrl(bytes, 'x/y'), { mediaType })]);
    expect(brought.files.get(hash(bytes))?.type).toBe(type);
  });

  it.each([
    ['../../etc/passwd', '..-..-etc-passwd'],
    ['a\u202Egnp.exe', 'a-gnp.exe'],
    ['a\r\nb', 'a--b'],
    ['', 'file'],
    [`${'x'.repeat(500)}.png`, `${'x'.repeat(116)}.png`],
  ])('%j has a name that can stand anywhere', (filename, name) => {
    const { made } = given([file(dataUrl(PNG, 'image/png'), { filename })]);
    expect(made).toMatchObject({ parts: [{ filename: name }] });
  });
});

describe('[CFILE3] what names a file', () => {
  it('is a ref to one that this chat keeps', () => {
    const url = chatFileRef(CHAT, KEPT.sha256);
    const { made, brought } = given(
      [file(url, { mediaType: 'text/html' })],
      undefined,
      knownFiles(KEPT),
    );
    expect(made).toMatchObject({ parts: [{ mediaType: 'image/png', url }] });
    expect([...brought.named]).toEqual([KEPT.sha256]);
  });

  it.each([
    ['a file that is not here', chatFileRef(CHAT, 'a'.repeat(64))],
    ['a file of another chat', chatFileRef(OTHER, KEPT.sha256)],
    ['another hash', chatFileRef(CHAT, KEPT.sha256).replace(/.$/, '0')],
    ['another bucket', chatFileRef(CHAT, KEPT.sha256).replace('filepath-blobs', 'other-bucket')],
    ['another key', `r2://filepath-blobs/${CHAT}/file/${KEPT.sha256}#sha256=${KEPT.sha256}`],
    ['another spelling', chatFileRef(CHAT, KEPT.sha256).replace('chats', '%63hats')],
    ['a way out', chatFileRef(CHAT, KEPT.sha256).replace('chats/', 'chats/../chats/')],
    ['an address', 'https://example.com/a.png'],
    ['an address inside', 'http://127.0.0.1/a.png'],
    ['a file of the machine', 'file:///etc/passwd'],
    ['a script', 'javascript:alert(1)'],
    ['a blob of the page', 'blob:https://example.com/1'],
    ['a data URL that is no base64', 'data:text/plain,hello'],
    ['broken base64', 'data:text/plain;base64,a*b'],
    ['an empty file', 'data:text/plain;base64,'],
  ])('is refused: %s', (_, url) => {
    expect(given([file(url)], undefined, knownFiles(KEPT)).made).toMatch(/a\.png/);
  });

  it('stays in what is stored when its file is gone', () => {
    const url = chatFileRef(OTHER, 'b'.repeat(64));
    const before: Said = { id: 'u1', role: 'user', parts: [file(url)] };
    expect(given([file(url)], before).made).toMatchObject({ parts: [{ url }] });
  });
});

describe('[CFILE1] a message', () => {
  it('takes ten files', () => {
    const ten = Array.from({ length: 10 }, (_, at) => file(dataUrl(Buffer.from(`${at}`), 'a/b')));
    expect(given(ten).brought.files.size).toBe(10);
    expect(given([...ten, ten[0] ?? file('')]).made).toMatch('10 files');
  });

  it('takes none that is too large', () => {
    const image = Buffer.concat([PNG, Buffer.alloc(CHAT_FILE_LIMITS.image)]);
    expect(given([file(dataUrl(image, 'image/png'))]).made).toMatch('larger than 3.5 MiB');
    const other = Buffer.alloc(CHAT_FILE_LIMITS.bytes + 1);
    expect(given([file(dataUrl(other, 'a/b'))]).made).toMatch('larger than 10 MiB');
  });
});
