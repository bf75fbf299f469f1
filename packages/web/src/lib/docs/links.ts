/** Where a link of a page leads: inside the documentation, elsewhere on the web, or to nothing that the page has. */
export type Target = { href: string; outside: boolean } | null;

/** `from` is the path of the page below `docs`, without its ending. */
export function targetOf(from: string, href: string, isPage: (path: string) => boolean): Target {
  if (href.startsWith('#')) return { href, outside: false };
  if (/^https?:\/\//i.test(href)) return { href, outside: true };
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return null;
  const [file = '', anchor] = href.split('#', 2);
  const path = below(from, file);
  if (path === null || !path.endsWith('.md')) return null;
  const page = path.slice(0, -'.md'.length);
  if (!isPage(page)) return null;
  const hash = anchor === undefined ? '' : `#${anchor}`;
  return { href: page === 'README' ? `/docs${hash}` : `/docs/${page}${hash}`, outside: false };
}

/** A path that a page names, from `docs` on; null if it leads out. */
export function below(from: string, path: string): string | null {
  const parts = from.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null;
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** The anchor of a heading, as code hosts make it. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
