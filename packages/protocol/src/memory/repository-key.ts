/**
 * One name for a repository, however its address is written: host and path, without scheme, credentials, default
 * port, `.git` or a slash at the end. The host's case does not count, the path's does.
 */
export function repositoryKey(address: string): string {
  const text = address.trim();
  if (text.startsWith('/')) return trimmed(text);
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'file:') return trimmed(url.pathname);
  if (url) return trimmed(`${hostOf(url)}${url.pathname}`);
  // git@host:path
  const [, host, path] = /^(?:[^@/\s]*@)?([^:/\s]+):(?!\/\/)(.*)$/.exec(text) ?? [];
  if (host === undefined || path === undefined) return trimmed(text);
  return trimmed(`${host.toLowerCase()}/${path.replace(/^\/+/, '')}`);
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'ssh:': '22', 'git:': '9418' };

/** The host of a scheme that is not the web's keeps its case in a URL. */
function hostOf({ protocol, hostname, port }: URL): string {
  const own = port === '' || port === DEFAULT_PORTS[protocol] ? '' : `:${port}`;
  return `${hostname.toLowerCase()}${own}`;
}

function trimmed(path: string): string {
  const plain = path.replace(/\/+$/, '').replace(/\.git$/, '');
  return plain.replace(/\/+$/, '') || '/';
}
