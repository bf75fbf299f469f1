import { cutMiddle, type ModelMessage } from '@filepath/loop';
import { CHAT_FILE_LIMITS } from '@filepath/protocol/chat';
import { isShownImage } from '../../routes/media-type.ts';
import type { ChatFiles } from './chat-files.ts';

/** A file of a message, as the transcript has it. */
type FilePart = {
  readonly url?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly filename?: string | undefined;
};

type Shown =
  | { readonly kind: 'image'; readonly bytes: Uint8Array; readonly type: string }
  | { readonly kind: 'text'; readonly text: string }
  /** It cannot be shown: why. */
  | { readonly kind: 'words'; readonly why: string };

/** What a model is shown of each file, by its ref. */
export type ShownFiles = ReadonlyMap<string, Shown>;

/** Of all that is read for one answer: images and their bytes, files, and bytes of one that is read as text. */
const IMAGES = 8;
const IMAGE_BYTES = 12 * 1024 * 1024;
const FILES = 24;
const TEXT_BYTES = 256 * 1024;
/** What an image takes of the context, in characters: about what most makers count one as. */
const IMAGE_CHARS = 3_200;
/** Below so many characters a text says nothing. */
const LEAST_TEXT = 400;

const MISSING = 'is not kept here any more, so that you cannot see it';
const UNREADABLE = 'is neither text nor an image that you can be shown';
const EARLIER = 'is left out, for there are others after it';
const NO_ROOM = 'is left out, for there is no room for it';

/** Reads what the files of messages hold, the newest first. Whatever was given, little is held at once. */
export async function readShown(
  parts: readonly FilePart[],
  files: Pick<ChatFiles, 'named' | 'read'>,
): Promise<ShownFiles> {
  const shown = new Map<string, Shown>();
  let [images, bytes] = [IMAGES, IMAGE_BYTES];
  for (const { url = '' } of parts.toReversed()) {
    if (shown.has(url)) continue;
    if (shown.size === FILES) break;
    const file = files.named(url);
    const image = file !== null && isShownImage(file.type);
    if (image && (images === 0 || file.bytes > bytes)) {
      shown.set(url, { kind: 'words', why: EARLIER });
      continue;
    }
    const most = image ? CHAT_FILE_LIMITS.image : TEXT_BYTES;
    const read = file === null ? null : await files.read(file, most);
    if (file === null || read === null) shown.set(url, { kind: 'words', why: MISSING });
    else if (image) {
      images -= 1;
      bytes -= file.bytes;
      shown.set(url, { kind: 'image', bytes: read, type: file.type });
    } else shown.set(url, textIn(read));
  }
  return shown;
}

function textIn(bytes: Uint8Array): Shown {
  try {
    // What is cut may end within a character.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes, {
      stream: true,
    });
    if (!text.includes('\0')) return { kind: 'text', text };
  } catch {
    // It is no text.
  }
  return { kind: 'words', why: UNREADABLE };
}

type Content = Extract<ModelMessage, { role: 'user' }>['content'];
type Piece = Exclude<Content, string>[number];

/** What a person said with what they gave, within the room that there is; and what of the context that takes. */
export function contentWith(
  text: string,
  parts: readonly FilePart[],
  files: ShownFiles,
  room: number,
): { content: Content; size: number } {
  if (parts.length === 0) return { content: text, size: text.length };
  const pieces: Piece[] = text === '' ? [] : [{ type: 'text', text }];
  let left = room;
  for (const part of parts) {
    const made = pieceOf(part, files.get(part.url ?? ''), left);
    if (made.size > left) continue;
    pieces.push(made.piece);
    left -= made.size;
  }
  if (pieces.length === 0) pieces.push({ type: 'text', text: '[files]' });
  return { content: pieces, size: text.length + room - left };
}

function pieceOf(
  { filename = 'file', mediaType = '' }: FilePart,
  shown: Shown | undefined,
  room: number,
): { piece: Piece; size: number } {
  if (shown?.kind === 'image' && room >= IMAGE_CHARS) {
    const { bytes, type } = shown;
    const data = { type: 'data' as const, data: bytes };
    return { piece: { type: 'file', data, mediaType: type, filename }, size: IMAGE_CHARS };
  }
  const head = `[${filename} (${mediaType})`;
  if (shown?.kind === 'text' && room >= LEAST_TEXT) {
    const body = cutMiddle(shown.text, Math.max(0, room - head.length - 120));
    return words(`${head}:]\n${body}\n[end of ${filename}]`);
  }
  const why = shown === undefined ? EARLIER : shown.kind === 'words' ? shown.why : NO_ROOM;
  return words(`${head} ${why}.]`);
}

const words = (text: string): { piece: Piece; size: number } => ({
  piece: { type: 'text', text },
  size: text.length,
});

const REFUSED = '[An image stood here, which you cannot be shown. Say so.]';

/** The same messages for a model that takes no images; null where there are none. */
export function withoutImages(messages: readonly ModelMessage[]): ModelMessage[] | null {
  let found = false;
  const made = messages.map((message): ModelMessage => {
    if (message.role !== 'user' || typeof message.content === 'string') return message;
    const content = message.content.map((piece): Piece => {
      if (piece.type !== 'file') return piece;
      found = true;
      return { type: 'text', text: REFUSED };
    });
    return { ...message, content };
  });
  return found ? made : null;
}
