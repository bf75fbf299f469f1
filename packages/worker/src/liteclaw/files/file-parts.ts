import { type ChatUserMessage, fileNameOf } from '@filepath/protocol';
import { CHAT_FILE_LIMITS, chatFileOf, chatFileRef } from '@filepath/protocol/chat';
import { isShownImage, mediaTypeOf } from '../../routes/media-type.ts';
import type { Said } from '../context.ts';
import type { ChatFiles, NewFile } from './chat-files.ts';

type Part = ChatUserMessage['parts'][number];
type FilePart = Extract<Part, { type: 'file' }>;

/** What the files of messages are looked up in. */
export type KnownFiles = Pick<ChatFiles, 'chat' | 'find' | 'full' | 'hash'>;

/** What came with messages: bytes that are new here, and the hashes of all that they name. */
export class Brought {
  readonly files = new Map<string, NewFile>();
  readonly named = new Set<string>();
}

const INLINE = /^data:[^,]{0,512};base64,/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * A message whose files are refs: bytes that came with it are `brought`, and what it names must be a file of this chat.
 * What nobody can keep is told in words. Addresses are never fetched.
 */
export function withRefs(
  message: ChatUserMessage,
  before: Said | undefined,
  known: KnownFiles,
  brought: Brought,
): ChatUserMessage | string {
  const count = message.parts.filter(({ type }) => type === 'file').length;
  if (count > CHAT_FILE_LIMITS.message)
    return `a message takes ${CHAT_FILE_LIMITS.message} files at most`;
  const parts: Part[] = [];
  for (const part of message.parts) {
    const made = part.type === 'file' ? refOf(part, before, known, brought) : part;
    if (typeof made === 'string') return made;
    parts.push(made);
  }
  return { ...message, parts };
}

function refOf(
  part: FilePart,
  before: Said | undefined,
  known: KnownFiles,
  brought: Brought,
): FilePart | string {
  const { url } = part;
  const name = fileNameOf(part.filename ?? '');
  if (url.startsWith('data:')) {
    const file = inlineFile(part, name, known);
    if (typeof file === 'string') return file;
    brought.files.set(file.sha256, file);
    const full = known.full([...brought.files.values()]);
    return full ?? named(known.find(file.sha256) ?? file, name, known, brought);
  }
  const sha256 = chatFileOf(known.chat, url);
  const file = sha256 === null ? null : known.find(sha256);
  if (file) return named(file, name, known, brought);
  // It stands in the transcript, and its file is not here any more.
  const same = before?.parts.find((one) => one.type === 'file' && one.url === url);
  if (same) return { type: 'file', mediaType: same.mediaType ?? '', filename: name, url };
  return url.startsWith('r2:')
    ? `${name} is no file of this chat: send the file itself`
    : `${name} is an address, and addresses are not fetched: send the file itself`;
}

function named(
  { sha256, type }: Pick<NewFile, 'sha256' | 'type'>,
  filename: string,
  { chat }: KnownFiles,
  { named: names }: Brought,
): FilePart {
  names.add(sha256);
  return { type: 'file', mediaType: type, filename, url: chatFileRef(chat, sha256) };
}

function inlineFile(
  { url, mediaType }: FilePart,
  name: string,
  { hash }: KnownFiles,
): NewFile | string {
  const [head] = INLINE.exec(url) ?? [];
  const data = head === undefined ? null : url.slice(head.length);
  if (data === null || !BASE64.test(data)) return `${name} is no data URL in base64`;
  if (data.length > CHAT_FILE_LIMITS.bytes * 1.4) return tooLarge(name, CHAT_FILE_LIMITS.bytes);
  return newFile(Buffer.from(data, 'base64'), mediaType, name, hash);
}

/** A file by its bytes, or why a chat does not take it. */
export function newFile(
  bytes: Uint8Array,
  said: string | null,
  name: string,
  hash: (bytes: Uint8Array) => string,
): NewFile | string {
  if (bytes.length === 0) return `${name} is empty`;
  const type = mediaTypeOf(bytes, said);
  const most = isShownImage(type) ? CHAT_FILE_LIMITS.image : CHAT_FILE_LIMITS.bytes;
  if (bytes.length > most) return tooLarge(name, most);
  return { sha256: hash(bytes), bytes, type };
}

const tooLarge = (name: string, most: number): string =>
  `${name} is larger than ${most / 1024 ** 2} MiB`;
