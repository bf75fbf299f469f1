import { Refusal } from './executor.ts';

/** Where a workspace is cloned from. */
export type Repository =
  | { kind: 'path'; path: string }
  /** `secret` is the same URL with the credentials it came with. */
  | { kind: 'url'; url: string; secret: string | null };

export function parseRepository(text: string): Repository {
  if (text.includes('\0') || text.includes('\n'))
    throw new Refusal('the repository is no path or URL');
  if (text.startsWith('/')) return { kind: 'path', path: text };
  if (text.startsWith('ssh://') || /^[^/]+@[^/]+:/.test(text)) {
    throw new Refusal(
      `cloning over ssh is not built yet (${text}): use the https URL, or a path on this machine`,
    );
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Refusal('the repository is neither an absolute path nor a URL');
  }
  if (!['https:', 'http:', 'git:'].includes(url.protocol)) {
    throw new Refusal(`a repository cannot be cloned over ${url.protocol} use https`);
  }
  const secret = url.username === '' && url.password === '' ? null : url.href;
  url.username = '';
  url.password = '';
  return { kind: 'url', url: url.href, secret };
}

/**
 * git's whole configuration inside the clone sandbox. The credentials of a URL stand here only: neither in
 * argv nor in the clone.
 */
export function cloneConfig(repository: Repository): string {
  const quote = (text: string): string =>
    `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  const allowed = repository.kind === 'path' ? ['file'] : ['https', 'http', 'git'];
  const lines = ['[safe]', 'directory = *', '[core]', 'hooksPath = /dev/null'];
  lines.push('[protocol]', 'allow = never');
  for (const name of allowed) lines.push(`[protocol ${quote(name)}]`, 'allow = always');
  if (repository.kind === 'url' && repository.secret !== null) {
    lines.push(`[url ${quote(repository.secret)}]`, `insteadOf = ${quote(repository.url)}`);
  }
  return `${lines.join('\n')}\n`;
}
