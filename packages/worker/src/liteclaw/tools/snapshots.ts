import { FilepathError, type LiteclawWorkspace, type WorkspaceSnapshot } from '@filepath/protocol';
import type { Sql } from '../../storage/sql.ts';
import { readTar, writeTar } from './tar.ts';
import type { Workspace } from './workspace.ts';

type Deps = {
  readonly sql: Sql;
  readonly blobs: R2Bucket;
  readonly chat: string;
  readonly workspace: Workspace;
  readonly now: () => number;
};

const KEPT = 10;

/** Archives of a workspace by the hash of their bytes: taken when it is asked for, and before files are lost. */
export class WorkspaceSnapshots {
  #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  list(): WorkspaceSnapshot[] {
    return this.#deps.sql
      .all<{ sha256: string; files: number; bytes: number; at: number }>(
        'SELECT sha256, files, bytes, at FROM workspace_snapshots ORDER BY at DESC, sha256',
      )
      .map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
  }

  shown(): LiteclawWorkspace {
    const { workspace } = this.#deps;
    const { expiresAt, generation } = workspace;
    return {
      generation,
      files: workspace.list(),
      expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      snapshots: this.list(),
    };
  }

  /** Stored before it is listed; the same files are the same snapshot. */
  async take(): Promise<void> {
    const { sql, blobs, workspace, now } = this.#deps;
    const files = workspace.all();
    if (files.length === 0) return;
    const bytes = writeTar(files);
    const sha256 = await hexOf(bytes);
    await blobs.put(this.#key(sha256), bytes, {
      sha256,
      customMetadata: { files: String(files.length), at: new Date(now()).toISOString() },
    });
    sql.run(
      'INSERT INTO workspace_snapshots VALUES (?, ?, ?, ?) ON CONFLICT (sha256) DO UPDATE SET at = excluded.at',
      sha256,
      files.length,
      bytes.length,
      now(),
    );
    for (const { sha256: old } of this.list().slice(KEPT)) {
      sql.run('DELETE FROM workspace_snapshots WHERE sha256 = ?', old);
      await blobs.delete(this.#key(old));
    }
  }

  async clear(): Promise<void> {
    await this.take();
    this.#deps.workspace.replace([]);
  }

  /** What is there is kept as a snapshot first. */
  async restore(sha256: string): Promise<void> {
    const { blobs, workspace } = this.#deps;
    const known = this.list().some((one) => one.sha256 === sha256);
    const found = known ? await blobs.get(this.#key(sha256)) : null;
    if (found === null) throw new FilepathError('not_found', 'There is no such snapshot.');
    const bytes = new Uint8Array(await found.arrayBuffer());
    if ((await hexOf(bytes)) !== sha256)
      throw new FilepathError('conflict', 'The snapshot is damaged: it does not match its hash.');
    const files = readTar(bytes);
    await this.take();
    workspace.replace(files);
  }

  /** Ends a workspace that was not used for long. */
  async expire(): Promise<void> {
    if (this.#deps.workspace.expired) await this.clear();
  }

  #key(sha256: string): string {
    return `chats/${this.#deps.chat}/workspace/${sha256}.tar`;
  }
}

async function hexOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
