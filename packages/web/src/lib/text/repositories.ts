import { GitRepoUrl } from '@filepath/protocol';

/** More of them help nobody choose. */
const KEPT = 6;

/** Why this is no address of a repository; null if it may be one. */
export function addressProblem(text: string): string | null {
  const address = text.trim();
  if (address === '' || GitRepoUrl.safeParse(address).success) return null;
  if (/^[~.]/.test(address)) return 'A path begins with /: it is of the machine that runs agents.';
  if (/\s/.test(address)) return 'An address has no spaces in it.';
  return 'Enter an https, ssh or git URL, or a path that begins with /.';
}

/** The user or token that a URL may carry is for nobody to keep. */
export function hasCredentials(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return password !== '' || (protocol.startsWith('http') && username !== '');
}

/** The last used first, each once, without any that carries credentials. */
export function recentRepositories(addresses: readonly (string | null)[]): string[] {
  const known = new Set<string>();
  for (const address of addresses) {
    if (address === null || hasCredentials(address)) continue;
    if (GitRepoUrl.safeParse(address).success) known.add(address);
  }
  return [...known].slice(0, KEPT);
}

/** Owner and name, or the end of a path. */
export function shortRepository(address: string): string {
  const parts = address
    .replace(/\.git\/?$/, '')
    .split(/[/:]/)
    .filter(Boolean);
  return parts.slice(address.startsWith('/') ? -1 : -2).join('/') || address;
}
