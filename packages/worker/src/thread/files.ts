import {
  type Attachment,
  attachmentOf,
  type AttachmentRef,
  FILE_LIMITS,
  FilepathError,
  KeptFile,
  toldContent,
  type UserMessage,
} from '@filepath/protocol';
import { notFound } from '../result.ts';
import { first, type Sql } from '../storage/sql.ts';

/** Throws where the thread keeps as much as it may. The same file again takes no room. */
export function checkRoomFor(
  sql: Sql,
  name: string,
  { sha256, bytes }: Pick<KeptFile, 'sha256' | 'bytes'>,
): void {
  const kept = first<{ files: number; bytes: number | null }>(
    sql,
    'SELECT count(*) AS files, sum(bytes) AS bytes FROM files WHERE sha256 <> ?',
    sha256,
  );
  const fits =
    (kept?.files ?? 0) < FILE_LIMITS.thread &&
    (kept?.bytes ?? 0) + bytes <= FILE_LIMITS.threadBytes;
  if (fits) return;
  throw new FilepathError(
    'conflict',
    `${name} keeps ${FILE_LIMITS.thread} files and ${FILE_LIMITS.threadBytes / 1024 ** 2} MiB of them at most: send this one to another agent`,
  );
}

export function keepFile(sql: Sql, name: string, file: KeptFile): KeptFile {
  checkRoomFor(sql, name, file);
  sql.run(
    'INSERT INTO files (sha256, bytes, type) VALUES (?, ?, ?) ON CONFLICT (sha256) DO NOTHING',
    file.sha256,
    file.bytes,
    file.type,
  );
  return keptFile(sql, file.sha256);
}

export function keptFile(sql: Sql, sha256: string): KeptFile {
  const row = first(sql, 'SELECT sha256, bytes, type FROM files WHERE sha256 = ?', sha256);
  if (row === null) throw notFound('this file');
  return KeptFile.parse(row);
}

/** What a message carries of files that the thread keeps. */
export function attachmentsFor(sql: Sql, refs: readonly AttachmentRef[]): Attachment[] {
  return refs.map((ref) => attachmentOf(ref, keptFile(sql, ref.sha256)));
}

/** The message as the agent reads it. */
export function told(message: UserMessage): UserMessage {
  return { ...message, content: toldContent(message.content, message.attachments) };
}
