import { z } from 'zod';

/** A blob by where it is kept and what it must hash to: `r2://bucket/key#sha256=…`. */
export type BlobPlace = { bucket: string; key: string; sha256: string };

const SHAPE =
  /^r2:\/\/([a-z0-9][a-z0-9-]{1,61}[a-z0-9])\/([A-Za-z0-9\-_.!~*'()%/]+)#sha256=([0-9a-f]{64})$/;
const LENGTH = 4096;

export function formatRef({ bucket, key, sha256 }: BlobPlace): string {
  const path = key.split('/').map(encodeURIComponent).join('/');
  return `r2://${bucket}/${path}#sha256=${sha256}`;
}

/** Null for what is no ref, and for another spelling of one. */
export function parseRef(text: string): BlobPlace | null {
  const [, bucket, path, sha256] = (text.length <= LENGTH && SHAPE.exec(text)) || [];
  if (bucket === undefined || path === undefined || sha256 === undefined) return null;
  const segments = path.split('/');
  if (segments.some((segment) => ['', '.', '..'].includes(segment))) return null;
  try {
    const place = { bucket, key: segments.map(decodeURIComponent).join('/'), sha256 };
    return formatRef(place) === text ? place : null;
  } catch {
    return null;
  }
}

export const SkyRef = z
  .string()
  .max(LENGTH)
  .regex(SHAPE, 'expected a ref like r2://bucket/key#sha256=…')
  .refine((text) => parseRef(text) !== null, 'expected a ref in its one spelling');
