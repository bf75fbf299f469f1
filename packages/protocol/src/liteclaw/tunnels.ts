import { z } from 'zod';
import { TunnelId } from '../ids.ts';

/** What may be let through to a machine. None of them runs a program there. */
export const TunnelTool = z.enum(['read', 'edit', 'write']);
export type TunnelTool = z.infer<typeof TunnelTool>;

const Name = z.string().trim().min(1).max(64);

/** A way to a machine of the user's, as its owner sees it. */
export const LiteclawTunnel = z.object({
  id: TunnelId,
  name: z.string(),
  /** The last characters of its token. */
  hint: z.string(),
  createdAt: z.iso.datetime(),
  connected: z.boolean(),
  seenAt: z.iso.datetime().nullable(),
  /** The key of the machine, once it has connected: Ed25519, 32 bytes in base64. */
  publicKey: z.string().nullable(),
  /** What the machine lets through, as it last said. */
  tools: z.array(TunnelTool),
  /** The name of the directory it serves, without the way to it. */
  folder: z.string().nullable(),
});
export type LiteclawTunnel = z.infer<typeof LiteclawTunnel>;

export const TunnelCreate = z.strictObject({ name: Name });
export type TunnelCreate = z.infer<typeof TunnelCreate>;

/** The token is in this answer and nowhere else. */
export const TunnelCreated = z.object({ tunnel: LiteclawTunnel, token: z.string() });
export type TunnelCreated = z.infer<typeof TunnelCreated>;

/** `rotate` gives another token and forgets the key of the machine; `disconnect` ends the connection there is. */
export const TunnelPost = z.strictObject({ action: z.enum(['rotate', 'disconnect']) });
export type TunnelPost = z.infer<typeof TunnelPost>;
