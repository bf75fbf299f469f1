import type { DeviceLink } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { apiFor } from './api.ts';

type Purpose = {
  readonly userId: string;
  /** A path of the page. */
  readonly to: string;
  readonly lifetimeMs: number;
};

/** A link below `origin` that signs somebody in, once. */
export async function mintLink(
  env: Env,
  request: Request,
  origin: string,
  { userId, to, lifetimeMs }: Purpose,
): Promise<DeviceLink> {
  const expiresAt = new Date(Date.now() + lifetimeMs);
  const api = await apiFor(request, env);
  const { token } = await api.createSignInLink({ body: { userId, to, expiresAt } });
  const url = new URL('/api/auth/sign-in/link', origin);
  url.searchParams.set('token', token);
  return { url: url.href, expiresAt: expiresAt.toISOString() };
}
