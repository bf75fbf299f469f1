import { z } from 'zod';

/** Files of one message; bytes of one file; files and bytes that a thread keeps. */
export const FILE_LIMITS = {
  message: 10,
  bytes: 10 * 1024 * 1024,
  thread: 500,
  threadBytes: 500 * 1024 * 1024,
} as const;

/** Where an agent finds what it was sent: in its home, outside its workspace. */
export const INBOX = '/home/agent/inbox';

/** It becomes a name on a disk: no folder, no control, direction or half characters. */
export const FileName = z
  .string()
  .trim()
  .min(1)
  .max(120)
  .regex(
    /^[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069/\\]*$/u,
    'expected a file name without slashes and control characters',
  );

/** A name that a person's machine gave, made into one that can stand here. A pasted image has one of the browser's, or none. */
export function fileNameOf(said: string): string {
  const name = FileName.safeParse(
    said.slice(-120).replaceAll(/[/\\\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, '-'),
  );
  return name.success ? name.data : 'file';
}

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A file that is kept, under the name that this message gives it. */
export const AttachmentRef = z.strictObject({ name: FileName, sha256: Sha256 });
export type AttachmentRef = z.infer<typeof AttachmentRef>;

/** A media type without parameters. */
export const MediaType = z
  .string()
  .max(100)
  .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/);

export const KeptFile = z.strictObject({
  sha256: Sha256,
  bytes: z.int().min(0).max(FILE_LIMITS.bytes),
  type: MediaType,
});
export type KeptFile = z.infer<typeof KeptFile>;

/** A file of a message. */
export const Attachment = z.strictObject({
  ...KeptFile.shape,
  name: FileName,
  /** Where the agent finds it. */
  path: z.string().min(1).max(512),
});
export type Attachment = z.infer<typeof Attachment>;

export const Attachments = z.array(Attachment).min(1).max(FILE_LIMITS.message);

/** The name under which a file of a thread is kept. */
export function fileKey(thread: string, sha256: string): string {
  return `${thread}/file/${sha256}`;
}

/** Files of one name do not take each other's place. */
export function attachmentOf({ name, sha256 }: AttachmentRef, file: KeptFile): Attachment {
  return { ...file, name, path: `${INBOX}/${sha256.slice(0, 8)}-${name}` };
}

/** What the agent is told: every kind of agent reads the words of a message. */
export function toldContent(content: string, attachments: readonly Attachment[] = []): string {
  if (attachments.length === 0) return content;
  const lines = attachments.map(({ path, type, bytes }) => `- ${path} (${type}, ${bytes} bytes)`);
  return [content, '', 'Attached files:', ...lines].join('\n');
}
