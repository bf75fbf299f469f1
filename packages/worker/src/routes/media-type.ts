import { MediaType } from '@filepath/protocol';

/** Images that a browser shows, by how they begin. What only claims to be one is not. */
const IMAGES: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
];

const UNKNOWN = 'application/octet-stream';

export const isShownImage = (type: string): boolean => IMAGES.some(([image]) => image === type);

/** What a file is: an image by its bytes, anything else by what the sender says. */
export function mediaTypeOf(bytes: Uint8Array, said: string | null): string {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  const [image] = IMAGES.find(([, begins]) => begins.test(head)) ?? [];
  if (image !== undefined) return image;
  const type = MediaType.safeParse((said ?? '').split(';')[0]?.trim().toLowerCase()).data;
  return type === undefined || type.startsWith('image/') ? UNKNOWN : type;
}
