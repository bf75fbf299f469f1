import { DurableObject } from 'cloudflare:workers';
import { type LiteclawTunnel, ThreadId, type TunnelCreated } from '@filepath/protocol';
import {
  helloClaim,
  isSignedBy,
  refusal,
  type ToolOutcome,
  TUNNEL_CLOSED,
  TUNNEL_LIMITS,
  TUNNEL_VERSION,
  TunnelRequest,
  type TunnelToLocal,
  TunnelToWorker,
} from '@filepath/protocol/sky';
import { learnSecrets } from '../../auth/known-secrets.ts';
import type { Env } from '../../env.ts';
import { log } from '../../http/log.ts';
import { attempt, attemptLater, type Result } from '../../result.ts';
import { acceptSocket, answerClose, type Attachment, attachmentOf, textOf } from '../../sockets.ts';
import { durableSql } from '../../storage/durable-sql.ts';
import { isFresh, migrate } from '../../storage/schema.ts';
import type { Sql } from '../../storage/sql.ts';
import { TunnelCalls } from './tunnel-calls.ts';
import { outcomeOf, reportOf } from './tunnel-result.ts';
import { signRequest } from './tunnel-signer.ts';
import { shownTunnel, TUNNEL_MIGRATIONS, type TunnelRow, TunnelTable } from './tunnel-table.ts';

type Linked = Extract<Attachment, { kind: 'tunnel' }>;

const ANSWER_MS = 20_000;
const SOCKETS = 4;

const LOST = refusal(
  'tunnel_lost',
  'The machine went away before it answered. Whether it was done is not known: read before you do it again.',
);
const REVOKED = refusal(
  'tunnel_revoked',
  'The owner ended this tunnel before the machine answered. Whether it was done is not known.',
);
const NONE = refusal(
  'tunnel_away',
  'No machine of the user is connected. They start it with `filepath runner --tunnel`.',
);
const SEVERAL = refusal(
  'tunnel_several',
  'Several machines of the user are connected, and it is not known which is meant. They end all but one.',
);

/** The ways from one chat to machines of its owner's: their tokens, their sockets, and the calls through them. */
export class ChatTunnels extends DurableObject<Env> {
  #sql: Sql;
  #table: TunnelTable;
  #calls = new TunnelCalls();
  /** The request that is open: an answer is compared with it. */
  #asked: TunnelRequest | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    this.#table = new TunnelTable(this.#sql, this.#thread(), Date.now);
    if (!isFresh(this.#sql)) migrate(this.#sql, TUNNEL_MIGRATIONS);
  }

  async create(name: string): Promise<Result<TunnelCreated>> {
    migrate(this.#sql, TUNNEL_MIGRATIONS);
    return attemptLater(async () => this.#made(await this.#table.create(name)));
  }

  list(): LiteclawTunnel[] {
    if (isFresh(this.#sql)) return [];
    return this.#table.all().map((row) => this.#shown(row));
  }

  async rotate(id: string): Promise<Result<TunnelCreated>> {
    migrate(this.#sql, TUNNEL_MIGRATIONS);
    return attemptLater(async () => {
      const made = await this.#table.rotate(id);
      this.#end(id, TUNNEL_CLOSED.revoked, 'rotated', REVOKED);
      return this.#made(made);
    });
  }

  revoke(id: string): Result<void> {
    migrate(this.#sql, TUNNEL_MIGRATIONS);
    return attempt(() => {
      this.#table.revoke(id);
      this.#end(id, TUNNEL_CLOSED.revoked, 'revoked', REVOKED);
    });
  }

  /** The chat is its user's no more. */
  revokeAll(): void {
    for (const { id } of this.list()) this.revoke(id);
  }

  /** The machine may dial again. */
  disconnect(id: string): Result<void> {
    migrate(this.#sql, TUNNEL_MIGRATIONS);
    return attempt(() => {
      this.#table.need(id);
      this.#end(id, 4000, 'disconnected', LOST);
    });
  }

  admits(id: string, secret: string): boolean {
    return !isFresh(this.#sql) && this.#table.admits(id, secret);
  }

  /** Gives the outcome as JSON. */
  async invoke(nonce: string, tool: string, args: string): Promise<string> {
    if (isFresh(this.#sql)) return JSON.stringify(NONE);
    const send = async () => {
      const linked = this.#greeted();
      const [ws] = linked;
      const memory = ws && linkedOf(ws);
      const row = memory && this.#table.get(memory.tunnel);
      if (!ws || !row || !memory?.session) return NONE;
      if (linked.length > 1) return SEVERAL;
      const now = Date.now();
      const asked = TunnelRequest.parse({
        v: TUNNEL_VERSION,
        thread: this.#thread(),
        tunnel: row.id,
        session: memory.session,
        nonce,
        at: new Date(now).toISOString(),
        expires: new Date(now + TUNNEL_LIMITS.requestMs).toISOString(),
        tool,
        args: JSON.parse(args) as unknown,
      });
      this.#asked = asked;
      const request = JSON.stringify(asked);
      const signature = await signRequest(row.signer, request);
      // It may have been revoked while it was signed.
      if (this.#table.get(row.id)?.signer !== row.signer) return REVOKED;
      if (ws.readyState !== WebSocket.OPEN) return NONE;
      say(ws, { t: 'call', request, signature });
      return { tunnel: row.id, session: memory.session };
    };
    return JSON.stringify(await this.#calls.run(nonce, send, ANSWER_MS));
  }

  async cancel(nonce: string): Promise<void> {
    this.#calls.cancel(nonce);
  }

  override async fetch(request: Request): Promise<Response> {
    const id = request.headers.get('x-filepath-tunnel') ?? '';
    const secret = request.headers.get('x-filepath-tunnel-secret') ?? '';
    if (!this.admits(id, secret)) return new Response(null, { status: 401 });
    const open = this.#sockets(id);
    for (const old of open.slice(0, Math.max(0, open.length - SOCKETS + 1)))
      old.close(4000, 'too many connections');
    const challenge = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url');
    const { server, response } = acceptSocket(this.ctx, {
      kind: 'tunnel',
      tunnel: id,
      challenge,
      session: null,
    });
    say(server, { t: 'challenge', v: TUNNEL_VERSION, challenge });
    return response;
  }

  override async webSocketMessage(ws: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const memory = linkedOf(ws);
    const frame = parseFrame(message);
    if (!frame || !memory) {
      ws.close(1008, 'frame not understood');
      return;
    }
    if (frame.t === 'here') say(ws, { t: 'here' });
    else if (frame.t === 'hello') await this.#hello(ws, memory, frame);
    else if (memory.session === null) ws.close(1008, 'say hello first');
    else if (frame.t === 'result') await this.#result(memory, frame);
    else {
      const words = `The machine refused the request: ${frame.fault}. The clocks of both sides may differ.`;
      if (frame.nonce === null)
        this.#calls.lost(memory.tunnel, memory.session, refusal('refused', words));
      else if (this.#calls.awaits(frame.nonce, memory.tunnel, memory.session))
        this.#calls.settle(frame.nonce, refusal('refused', words));
    }
  }

  override webSocketClose(ws: WebSocket, code: number): void {
    answerClose(ws, code);
    this.#gone(ws);
  }

  override webSocketError(ws: WebSocket): void {
    this.#gone(ws);
  }

  async #hello(
    ws: WebSocket,
    memory: Linked,
    frame: Extract<TunnelToWorker, { t: 'hello' }>,
  ): Promise<void> {
    const row = this.#table.get(memory.tunnel);
    if (!row || memory.session !== null) {
      ws.close(TUNNEL_CLOSED.revoked, 'revoked');
      return;
    }
    const { publicKey: key, tools, folder, session, signature } = frame;
    const { id } = shownTunnel(row, false);
    const proven = await isSignedBy(key, signature, helloClaim(id, memory.challenge, frame));
    // It may have been revoked or rotated while the signature was looked at.
    if (this.#table.get(row.id)?.hash !== row.hash) {
      ws.close(TUNNEL_CLOSED.revoked, 'revoked');
      return;
    }
    if (!proven || !this.#table.greeted(row.id, { key, tools, folder })) {
      ws.close(TUNNEL_CLOSED.otherKey, 'another key');
      return;
    }
    for (const old of this.#sockets(row.id)) {
      if (old === ws || !linkedOf(old)?.session) continue;
      old.close(TUNNEL_CLOSED.replaced, 'replaced');
      this.#gone(old);
    }
    ws.serializeAttachment({ ...memory, session } satisfies Linked);
    say(ws, { t: 'welcome' });
  }

  async #result(
    { tunnel, session }: Linked,
    frame: Extract<TunnelToWorker, { t: 'result' }>,
  ): Promise<void> {
    const nonce = reportOf(frame)?.nonce ?? '';
    const asked = this.#asked;
    const row = this.#table.get(tunnel);
    if (!row?.local_key || !asked || !this.#calls.awaits(nonce, tunnel, session ?? '')) {
      log('warn', 'an answer of a machine was asked by nobody', { tunnel });
      return;
    }
    const outcome = await outcomeOf(asked, row.local_key, frame);
    // What came from a machine that is revoked meanwhile is not taken.
    if (this.#table.get(tunnel)?.hash === row.hash) this.#calls.settle(nonce, outcome);
  }

  /** Ends every connection of a tunnel, and what was asked there. */
  #end(id: string, code: number, reason: string, outcome: ToolOutcome): void {
    this.#calls.lost(id, null, outcome);
    for (const ws of this.#sockets(id)) ws.close(code, reason);
  }

  #gone(ws: WebSocket): void {
    const memory = linkedOf(ws);
    if (!memory?.session) return;
    this.#table.seen(memory.tunnel);
    this.#calls.lost(memory.tunnel, memory.session, LOST);
  }

  #made({ id, token }: { id: string; token: string }): TunnelCreated {
    learnSecrets([token]);
    return { tunnel: this.#shown(this.#table.need(id)), token };
  }

  #shown(row: TunnelRow): LiteclawTunnel {
    return shownTunnel(
      row,
      this.#greeted().some((ws) => linkedOf(ws)?.tunnel === row.id),
    );
  }

  #sockets(id: string): WebSocket[] {
    return this.ctx
      .getWebSockets('tunnel')
      .filter((ws) => ws.readyState === WebSocket.OPEN && linkedOf(ws)?.tunnel === id);
  }

  #greeted(): WebSocket[] {
    return this.ctx
      .getWebSockets('tunnel')
      .filter((ws) => ws.readyState === WebSocket.OPEN && linkedOf(ws)?.session);
  }

  #thread(): ThreadId {
    return ThreadId.parse(this.ctx.id.name);
  }
}

function linkedOf(ws: WebSocket): Linked | null {
  const attachment = attachmentOf(ws);
  return attachment?.kind === 'tunnel' ? attachment : null;
}

function say(ws: WebSocket, frame: TunnelToLocal): void {
  try {
    ws.send(JSON.stringify(frame));
  } catch {
    // Closed meanwhile: its end settles what waits for it.
  }
}

function parseFrame(message: string | ArrayBuffer): TunnelToWorker | null {
  const text = textOf(message);
  if (text.length > TUNNEL_LIMITS.frame) return null;
  try {
    return TunnelToWorker.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
