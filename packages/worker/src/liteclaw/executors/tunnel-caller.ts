import type { ThreadId, TunnelId } from '@filepath/protocol';
import { parseTunnelToken } from '@filepath/protocol/sky';
import { learnSecrets } from '../../auth/known-secrets.ts';
import { bearerOf } from '../../auth/secrets.ts';
import type { Env } from '../../env.ts';

/** The machine that calls, by the token of its tunnel. */
export type TunnelCaller = {
  readonly thread: ThreadId;
  readonly tunnel: TunnelId;
  readonly secret: string;
};

/** Null unless the chat that the token names has given it, and not taken it back. */
export async function tunnelOf(
  request: Request,
  env: Pick<Env, 'ChatTunnels'>,
): Promise<TunnelCaller | null> {
  const token = bearerOf(request) ?? '';
  const parts = parseTunnelToken(token);
  if (parts === null) return null;
  const { thread, tunnel, secret } = parts;
  if (!(await env.ChatTunnels.getByName(thread).admits(tunnel, secret))) return null;
  learnSecrets([token]);
  return { thread, tunnel, secret };
}
