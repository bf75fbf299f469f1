import { z } from 'zod';

/** The characters of a name before it is made canonical; no percent sign, no at sign, nothing that ends a host. */
const NAME = /^[\p{L}\p{M}\p{N}._\-\u3002\uFF0E\uFF61]{1,255}$/u;
const BRACKETED = /^\[[0-9A-Fa-f:.]{2,45}\]$/;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The one spelling of a host: lower case, punycode, no trailing dot; addresses in their usual form, IPv6 without
 * brackets. Null for what names no host.
 */
export function canonicalHost(text: string): string | null {
  if (!NAME.test(text) && !BRACKETED.test(text)) return null;
  let host: string;
  try {
    host = new URL(`http://${text}/`).hostname;
  } catch {
    return null;
  }
  if (host.startsWith('[')) return host.slice(1, -1);
  if (host.endsWith('.')) host = host.slice(0, -1);
  if (host.length > 253 || !host.split('.').every((label) => LABEL.test(label))) return null;
  return host;
}

/** An entry of `allow`: a host, or with `*.` every host below it; all usual ports, or the one it names. */
export type AllowedHost = { host: string; below: boolean; port: number | null };

/** Null for what is no entry. */
export function parseAllowedHost(text: string): AllowedHost | null {
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const below = name.startsWith('*.');
  const host = canonicalHost(below ? name.slice(2) : name);
  const port = digits === undefined ? null : Number(digits);
  if (host === null || (port !== null && (port < 1 || port > 65535))) return null;
  // `*.com` would be most of the internet.
  if (below && !/^(?:[^.:]+\.)+[^.:]*[a-z][^.:]*$/.test(host)) return null;
  return { host, below, port };
}

/** What an agent may reach beside its gateway. */
export const NetworkConfig = z.strictObject({
  /** `none`: nothing. `allowlist`: package registries, the host of the repository, and `allow`. `open`: every public address. */
  policy: z.enum(['none', 'allowlist', 'open']),
  /** `example.com`, `*.example.com`, `example.com:8443`. */
  allow: z
    .array(
      z
        .string()
        .max(320)
        .refine(
          (text) => parseAllowedHost(text) !== null,
          'expected a domain like example.com, *.example.com or example.com:8443',
        ),
    )
    .max(64)
    .optional(),
});
export type NetworkConfig = z.infer<typeof NetworkConfig>;

export const DEFAULT_NETWORK: NetworkConfig = { policy: 'allowlist' };
