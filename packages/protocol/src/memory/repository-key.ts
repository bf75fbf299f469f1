/**
 * One name for a repository, however its address is written: host and path, without scheme, credentials, default
 * port, `.git` or a slash at the end. The host's case does not count; the path's does, except where the host says not.
 * On a disk `shop` and `shop.git` may both be there: they are two.
 */
export function repositoryKey(address: string): string {
  const text = address.trim();
  if (text.startsWith('/')) return onDisk(text);
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'file:') return onDisk(url.pathname);
  if (url) return onHost(hostOf(url), url.pathname.slice(1));
  // git@host:path
  const [, host, path] = /^(?:[^@/\s]*@)?([^:/\s]+):(?!\/\/)(.*)$/.exec(text) ?? [];
  if (host === undefined || path === undefined) return trimmed(text);
  return onHost(host.toLowerCase(), path.replace(/^\/+/, ''));
}

/** Hosts on which the names of owners and repositories have no case. */
const CASELESS: ReadonlySet<string> = new Set(['github.com', 'gitlab.com', 'bitbucket.org']);

const onHost = (host: string, path: string): string =>
  trimmed(`${host}/${CASELESS.has(host) ? path.toLowerCase() : path}`);

/** The directory that a path leads to; a repository's own `.git` is that of its directory. */
function onDisk(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  if (names.at(-1) === '.git') names.pop();
  return `/${names.join('/')}`;
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
