const ALLOWED = new Set(['http:', 'https:', 'mailto:']);

export type Target = { href: string; host: string };

/** Where a link may lead: the web and mail. Null for everything else. */
export function targetOf(href: string): Target | null {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(href)) return null;
  const url = URL.parse(href);
  if (url === null || !ALLOWED.has(url.protocol)) return null;
  return { href: url.href, host: url.protocol === 'mailto:' ? url.pathname : url.host };
}

/** A path inside the repository, as agents write links to files. */
export const isPath = (href: string): boolean =>
  href !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(href) && !href.startsWith('//');
