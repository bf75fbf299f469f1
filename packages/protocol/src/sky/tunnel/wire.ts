import { z } from 'zod';
import { ThreadId, TunnelId } from '../../ids.ts';
import { TunnelTool } from '../../liteclaw/tunnels.ts';
import { FileChange } from '../receipts.ts';
import { Hash, Milliseconds, SkyErrorCode } from '../values.ts';

/** Between a chat and a machine of its owner's. The machine dials. */
export const TUNNEL_VERSION = 1;

export const TUNNEL_LIMITS = {
  /** Characters of a frame, either way. */
  frame: 1024 * 1024,
  /** Characters of what a tool gives back, as JSON. */
  output: 200_000,
  /** A request is not carried out later than this after it was made. */
  requestMs: 30_000,
  /** How far the clocks of both sides may be apart. */
  skewMs: 60_000,
} as const;

/** Why a connection was ended for good: whoever dials does not dial again. */
export const TUNNEL_CLOSED = { revoked: 4401, otherKey: 4403, replaced: 4409 } as const;

const Nonce = z.string().regex(/^[0-9A-Za-z_-]{22,64}$/);
const Key = z.string().length(44);
const Signature = z.string().length(88);

/** What the chat asks for. Its text is signed as it is sent. */
export const TunnelRequest = z.strictObject({
  v: z.literal(TUNNEL_VERSION),
  thread: ThreadId,
  tunnel: TunnelId,
  /** What the machine said when it connected: a request is for this connection alone. */
  session: Nonce,
  /** Once. */
  nonce: Nonce,
  at: z.iso.datetime(),
  expires: z.iso.datetime(),
  tool: z.string().min(1).max(64),
  args: z.unknown(),
});
export type TunnelRequest = z.infer<typeof TunnelRequest>;

/** What the machine says it did. Its text is signed as it is sent, and kept with the receipt. */
export const TunnelReport = z.strictObject({
  v: z.literal(TUNNEL_VERSION),
  thread: ThreadId,
  tunnel: TunnelId,
  nonce: Nonce,
  tool: z.string().min(1).max(64),
  args_hash: Hash,
  output_hash: Hash,
  status: z.enum(['completed', 'error']),
  error_code: SkyErrorCode.optional(),
  change: FileChange.optional(),
  started_at: z.iso.datetime(),
  duration_ms: Milliseconds,
});
export type TunnelReport = z.infer<typeof TunnelReport>;

export const TunnelToLocal = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('challenge'), v: z.literal(TUNNEL_VERSION), challenge: Nonce }),
  z.strictObject({ t: z.literal('welcome') }),
  z.strictObject({
    t: z.literal('call'),
    request: z.string().max(TUNNEL_LIMITS.frame),
    signature: Signature,
  }),
  z.strictObject({ t: z.literal('here') }),
]);
export type TunnelToLocal = z.infer<typeof TunnelToLocal>;

export const TunnelToWorker = z.discriminatedUnion('t', [
  z.strictObject({
    t: z.literal('hello'),
    v: z.literal(TUNNEL_VERSION),
    publicKey: Key,
    session: Nonce,
    tools: z.array(TunnelTool).max(8),
    folder: z.string().max(255),
    /** Over all of it and the challenge. */
    signature: Signature,
  }),
  z.strictObject({
    t: z.literal('result'),
    report: z.string().max(16_384),
    signature: Signature,
    output: z.record(z.string(), z.unknown()),
  }),
  /** The request was not carried out, nor looked at further: it is not the chat's, or not of now. */
  z.strictObject({ t: z.literal('refused'), nonce: Nonce.nullable(), fault: z.string().max(64) }),
  z.strictObject({ t: z.literal('here') }),
]);
export type TunnelToWorker = z.infer<typeof TunnelToWorker>;

// What is signed begins with what it is, so that no signature serves for something else.
export const requestClaim = (request: string): string => `filepath tunnel request 1\n${request}`;
export const reportClaim = (report: string): string => `filepath tunnel report 1\n${report}`;
export const helloClaim = (
  tunnel: TunnelId,
  challenge: string,
  {
    publicKey,
    session,
    tools,
    folder,
  }: { publicKey: string; session: string; tools: readonly string[]; folder: string },
): string =>
  `filepath tunnel hello 1\n${JSON.stringify({ tunnel, challenge, publicKey, session, tools, folder })}`;

const TOKEN = /^fpn_([0-9A-Za-z]{22})_([0-9A-Za-z]{22})_([0-9A-Za-z_-]{43})_([0-9A-Za-z_-]{43})$/;

export const isTunnelToken = (text: string): boolean => TOKEN.test(text);

type TokenParts = {
  readonly thread: ThreadId;
  readonly tunnel: TunnelId;
  /** 32 random bytes, base64url. */
  readonly secret: string;
  /** The key that requests are signed with: whoever has the token knows whom to obey. base64. */
  readonly signer: string;
};

export function makeTunnelToken({ thread, tunnel, secret, signer }: TokenParts): string {
  const key = signer.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return `fpn_${thread.slice('th_'.length)}_${tunnel.slice('tun_'.length)}_${secret}_${key}`;
}

export function parseTunnelToken(text: string): TokenParts | null {
  const [, thread, tunnel, secret = '', key = ''] = TOKEN.exec(text) ?? [];
  if (thread === undefined || tunnel === undefined) return null;
  return {
    thread: ThreadId.parse(`th_${thread}`),
    tunnel: TunnelId.parse(`tun_${tunnel}`),
    secret,
    signer: `${key.replaceAll('-', '+').replaceAll('_', '/')}=`,
  };
}
