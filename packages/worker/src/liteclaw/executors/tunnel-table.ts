import {
  FilepathError,
  type LiteclawTunnel,
  newTunnelId,
  type ThreadId,
  TunnelId,
  type TunnelTool,
} from '@filepath/protocol';
import { makeTunnelToken } from '@filepath/protocol/sky';
import { isSecret, sha256 } from '../../auth/secrets.ts';
import { notFound } from '../../result.ts';
import { first, type Sql } from '../../storage/sql.ts';
import { newSigner } from './tunnel-signer.ts';

export const TUNNEL_MIGRATIONS: readonly (readonly string[])[] = [
  [
    // hash: of the token's secret. signer: the private key that requests are signed with. local_key: the machine's own.
    `CREATE TABLE tunnels (
       id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, hint TEXT NOT NULL, signer TEXT NOT NULL,
       local_key TEXT, tools TEXT NOT NULL DEFAULT '[]', folder TEXT, created_at INTEGER NOT NULL, seen_at INTEGER)`,
  ],
];

const MOST = 8;

export type TunnelRow = {
  id: string;
  name: string;
  hash: string;
  hint: string;
  signer: string;
  local_key: string | null;
  tools: string;
  folder: string | null;
  created_at: number;
  seen_at: number | null;
};

const hashOf = (secret: string): string => sha256(secret).toString('base64url');

/** The tunnels of one chat. Of a token only a hash is kept. */
export class TunnelTable {
  #sql: Sql;
  #thread: ThreadId;
  #now: () => number;

  constructor(sql: Sql, thread: ThreadId, now: () => number) {
    this.#sql = sql;
    this.#thread = thread;
    this.#now = now;
  }

  all(): TunnelRow[] {
    return this.#sql.all<TunnelRow>('SELECT * FROM tunnels ORDER BY created_at DESC, id');
  }

  get(id: string): TunnelRow | null {
    return first<TunnelRow>(this.#sql, 'SELECT * FROM tunnels WHERE id = ?', id);
  }

  need(id: string): TunnelRow {
    const row = this.get(id);
    if (row === null) throw notFound('this tunnel');
    return row;
  }

  admits(id: string, secret: string): boolean {
    const row = this.get(id);
    return row !== null && isSecret(hashOf(secret), row.hash);
  }

  async create(name: string): Promise<{ id: TunnelId; token: string }> {
    const id = newTunnelId();
    const { token, hash, hint, signer } = await this.#credentials(id);
    this.#sql.transaction(() => {
      if (this.all().length >= MOST)
        throw new FilepathError('cap_reached', `There are ${MOST} tunnels: revoke one first.`);
      this.#sql.run(
        'INSERT INTO tunnels (id, name, hash, hint, signer, created_at) VALUES (?, ?, ?, ?, ?, ?)',
        id,
        name,
        hash,
        hint,
        signer,
        this.#now(),
      );
    });
    return { id, token };
  }

  /** Another token and another signer. The next machine that connects is the one it belongs to. */
  async rotate(id: string): Promise<{ id: TunnelId; token: string }> {
    const known = TunnelId.parse(this.need(id).id);
    const { token, hash, hint, signer } = await this.#credentials(known);
    this.need(id);
    this.#sql.run(
      'UPDATE tunnels SET hash = ?, hint = ?, signer = ?, local_key = NULL WHERE id = ?',
      hash,
      hint,
      signer,
      id,
    );
    return { id: known, token };
  }

  revoke(id: string): void {
    this.need(id);
    this.#sql.run('DELETE FROM tunnels WHERE id = ?', id);
  }

  /** The first key that a machine proves to have is the tunnel's. False: it has another. */
  greeted(
    id: string,
    told: { key: string; tools: readonly TunnelTool[]; folder: string },
  ): boolean {
    const row = this.need(id);
    if (row.local_key !== null && row.local_key !== told.key) return false;
    this.#sql.run(
      'UPDATE tunnels SET local_key = ?, tools = ?, folder = ?, seen_at = ? WHERE id = ?',
      told.key,
      JSON.stringify(told.tools),
      told.folder,
      this.#now(),
      id,
    );
    return true;
  }

  seen(id: string): void {
    this.#sql.run('UPDATE tunnels SET seen_at = ? WHERE id = ?', this.#now(), id);
  }

  async #credentials(tunnel: TunnelId) {
    const random = crypto.getRandomValues(new Uint8Array(32));
    const secret = Buffer.from(random).toString('base64url');
    const { privateJwk, publicKey } = await newSigner();
    const token = makeTunnelToken({ thread: this.#thread, tunnel, secret, signer: publicKey });
    return { token, hash: hashOf(secret), hint: secret.slice(-4), signer: privateJwk };
  }
}

export function shownTunnel(row: TunnelRow, connected: boolean): LiteclawTunnel {
  const { id, name, hint, created_at, seen_at, local_key, tools, folder } = row;
  return {
    id: TunnelId.parse(id),
    name,
    hint,
    createdAt: new Date(created_at).toISOString(),
    connected,
    seenAt: seen_at === null ? null : new Date(seen_at).toISOString(),
    publicKey: local_key,
    tools: JSON.parse(tools) as TunnelTool[],
    folder,
  };
}
