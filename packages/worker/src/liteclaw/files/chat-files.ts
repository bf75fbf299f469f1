import { createHash } from 'node:crypto';
import { FilepathError, type KeptFile } from '@filepath/protocol';
import { CHAT_FILE_LIMITS, chatFileOf, chatFilePrefix } from '@filepath/protocol/chat';
import { Serial } from '../../serial.ts';
import { first, type Sql } from '../../storage/sql.ts';

export type NewFile = {
  readonly sha256: string;
  readonly bytes: Uint8Array;
  readonly type: string;
};

/**
 * Files of a chat by their hash. state: `coming` until the bytes are in the bucket, `kept`, `missing` where an import names
 * it, `gone` until the bytes are deleted. used: a message names it. There is a row before there is a blob, and after.
 */
export const FILES_TABLE = `CREATE TABLE files (
  sha256 TEXT PRIMARY KEY, bytes INTEGER NOT NULL, type TEXT NOT NULL, at INTEGER NOT NULL, used INTEGER NOT NULL,
  state TEXT NOT NULL)`;

type Deps = {
  readonly sql: Sql;
  readonly blobs: R2Bucket;
  readonly chat: string;
  readonly now: () => number;
};

/** The files that were given with the messages of a chat. */
export class ChatFiles {
  readonly chat: string;
  #deps: Deps;
  /** The bucket is changed by one at a time, so that no file is deleted while it comes again. */
  #changes = new Serial();

  constructor(deps: Deps) {
    this.chat = deps.chat;
    this.#deps = deps;
  }

  readonly hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  find(sha256: string): KeptFile | null {
    const query = `SELECT sha256, bytes, type FROM files WHERE sha256 = ? AND state = 'kept'`;
    return first<KeptFile>(this.#deps.sql, query, sha256);
  }

  /** Why these cannot be kept with what there is; null where they can. */
  full(files: readonly NewFile[]): string | null {
    const fresh = files.filter(({ sha256 }) => this.find(sha256) === null);
    const kept = first<{ files: number; bytes: number | null }>(
      this.#deps.sql,
      'SELECT count(*) AS files, sum(bytes) AS bytes FROM files',
    );
    const size = fresh.reduce((sum, { bytes }) => sum + bytes.length, kept?.bytes ?? 0);
    const { kept: most, keptBytes } = CHAT_FILE_LIMITS;
    if ((kept?.files ?? 0) + fresh.length <= most && size <= keptBytes) return null;
    return `a chat keeps ${most} files and ${keptBytes / 1024 ** 2} MiB of them at most: clear it to send more`;
  }

  /** The same file again takes no room. `used`: a message names it. */
  keep(file: NewFile, used: boolean): Promise<KeptFile> {
    return this.#changes.run(async () => {
      const { sql, blobs } = this.#deps;
      const { sha256, bytes } = file;
      if (this.find(sha256) === null) {
        await this.#deleteDue();
        const full = this.full([file]);
        if (full !== null) throw new FilepathError('conflict', `${full}.`);
        this.#begin(file);
        await blobs.put(this.#key(sha256), bytes, { sha256 });
        sql.run(`UPDATE files SET state = 'kept' WHERE sha256 = ? AND state = 'coming'`, sha256);
      }
      if (used) this.use([sha256]);
      const known = this.find(sha256);
      if (!known) throw new FilepathError('conflict', 'The chat was reset. Send the file again.');
      return known;
    });
  }

  /** Messages name these from now on. */
  use(hashes: Iterable<string>): void {
    for (const sha256 of hashes)
      this.#deps.sql.run('UPDATE files SET used = 1 WHERE sha256 = ?', sha256);
  }

  /** Messages of an import name these; says which are not here. */
  imported(refs: ReadonlySet<string>): string[] {
    const { sql, now } = this.#deps;
    const missing: string[] = [];
    for (const ref of refs) {
      if (missing.length === CHAT_FILE_LIMITS.kept) break;
      const sha256 = chatFileOf(this.chat, ref);
      if (sha256 !== null && this.find(sha256) !== null) continue;
      missing.push(ref);
      if (sha256 === null) continue;
      sql.run(
        `INSERT INTO files VALUES (?, 0, '', ?, 1, 'missing')
         ON CONFLICT (sha256) DO UPDATE SET state = 'missing', used = 1`,
        sha256,
        now(),
      );
    }
    return missing;
  }

  /** In the transaction of the caller; `clean` deletes the bytes. */
  forget(): void {
    this.#deps.sql.run(`UPDATE files SET state = 'gone'`);
  }

  /** Deletes what was forgotten and what no message came to name. May be repeated. */
  clean(): Promise<void> {
    return this.#changes.run(() => this.#deleteDue());
  }

  /** When the next file that no message names is to be deleted. */
  get due(): number | null {
    const query = `SELECT min(at) AS at FROM files WHERE used = 0`;
    const at = first<{ at: number | null }>(this.#deps.sql, query)?.at ?? null;
    return at === null ? null : at + CHAT_FILE_LIMITS.waits;
  }

  /** The file that a ref names; null for one that is not here, or not of this chat. */
  named(ref: string): KeptFile | null {
    const sha256 = chatFileOf(this.chat, ref);
    return sha256 === null ? null : this.find(sha256);
  }

  /** Its first bytes; null where they are not there, or are not what they were. */
  async read(file: KeptFile, most: number): Promise<Uint8Array | null> {
    const length = Math.min(most, file.bytes);
    const blob = await this.#deps.blobs.get(this.#key(file.sha256), { range: { length } });
    return blob && isWhole(blob, file) ? new Uint8Array(await blob.arrayBuffer()) : null;
  }

  #begin({ sha256, bytes, type }: NewFile): void {
    this.#deps.sql.run(
      `INSERT INTO files VALUES (?, ?, ?, ?, 0, 'coming') ON CONFLICT (sha256) DO UPDATE SET
         bytes = excluded.bytes, type = excluded.type, at = excluded.at, state = 'coming',
         used = CASE state WHEN 'gone' THEN 0 ELSE used END`,
      sha256,
      bytes.length,
      type,
      this.#deps.now(),
    );
  }

  async #deleteDue(): Promise<void> {
    const { sql, blobs, now } = this.#deps;
    const long = now() - CHAT_FILE_LIMITS.waits;
    // From here on no message can name it.
    sql.run(`UPDATE files SET state = 'gone' WHERE used = 0 AND at <= ?`, long);
    const gone = sql.all<{ sha256: string }>(`SELECT sha256 FROM files WHERE state = 'gone'`);
    for (const { sha256 } of gone) {
      await blobs.delete(this.#key(sha256));
      sql.run('DELETE FROM files WHERE sha256 = ?', sha256);
    }
  }

  #key(sha256: string): string {
    return chatFilePrefix(this.chat) + sha256;
  }
}

function isWhole(blob: R2Object, { sha256, bytes }: KeptFile): boolean {
  const { sha256: checked } = blob.checksums;
  return (
    blob.size === bytes && checked !== undefined && Buffer.from(checked).toString('hex') === sha256
  );
}
