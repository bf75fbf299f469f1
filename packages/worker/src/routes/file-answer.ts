import { FileName, type KeptFile } from '@filepath/protocol';
import { z } from 'zod';
import { notFound } from '../result.ts';
import { isShownImage } from './media-type.ts';

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const NameQuery = z.object({ name: FileName.optional() });

/** A kept file for a browser: an image that it shows, anything else as a download. Nothing in it is ever run. */
export function shownFile(
  bucket: R2Bucket,
  key: string,
  file: KeptFile,
  name: string | undefined,
): Promise<Response> {
  const shown = isShownImage(file.type);
  const encoded = encodeURIComponent(name ?? file.sha256);
  return fileAnswer(bucket, key, file, {
    'content-type': shown ? file.type : 'application/octet-stream',
    'content-disposition': `${shown ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded}`,
    // Its address is its content.
    'cache-control': 'private, max-age=31536000, immutable',
  });
}

export async function fileAnswer(
  bucket: R2Bucket,
  key: string,
  { bytes }: KeptFile,
  headers: Record<string, string>,
): Promise<Response> {
  const blob = await bucket.get(key);
  if (!blob) throw notFound('this file');
  return new Response(blob.body, { headers: { ...headers, 'content-length': String(bytes) } });
}
