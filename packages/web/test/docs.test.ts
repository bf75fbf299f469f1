import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { contentsOf, search } from '../src/lib/docs/contents.ts';
import { below, slug, targetOf } from '../src/lib/docs/links.ts';
import { errorWords } from '../src/lib/text/error-page.ts';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));
const files = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.slice(0, -'.md'.length));
const contents = contentsOf(readFileSync(`${docs}README.md`, 'utf8'));

it('[UIH10] the table of contents has every page of the documentation, and nothing else', () => {
  const listed = contents.flatMap(({ entries }) => entries.map(({ path }) => path));
  const pages = files.filter((path) => path !== 'README');
  expect(listed.toSorted()).toEqual(pages.toSorted());
  expect(contents.map(({ name }) => name)).toEqual(['Learn', 'Do', 'Look up', 'Understand']);
});

it('[UIH10] a search finds pages by words of title and description', () => {
  const paths = (words: string) =>
    search(contents, words).flatMap(({ entries }) => entries.map(({ path }) => path));
  expect(paths('budget set')).toContain('how-to/set-a-budget');
  expect(paths('OFFLINE model')).toContain('how-to/try-without-a-key');
  expect(paths('no such words')).toEqual([]);
  expect(paths('')).toHaveLength(files.length - 1);
});

it('[UIH10] links lead to pages of the documentation, to the web, or nowhere', () => {
  const isPage = (path: string): boolean => files.includes(path);
  const from = 'explanation/trees';
  expect(targetOf(from, 'relay.md', isPage)?.href).toBe('/docs/explanation/relay');
  expect(targetOf(from, '../reference/fap.md#events', isPage)?.href).toBe(
    '/docs/reference/fap#events',
  );
  expect(targetOf(from, '../README.md', isPage)?.href).toBe('/docs');
  expect(targetOf(from, '#caps', isPage)).toEqual({ href: '#caps', outside: false });
  expect(targetOf(from, 'https://example.org/', isPage)?.outside).toBe(true);
  for (const nowhere of ['../../SPEC.md', 'none.md', 'javascript:alert(1)', 'data:text/html,x']) {
    expect(targetOf(from, nowhere, isPage)).toBe(null);
  }
  expect(below('how-to/a', '../images/session.png')).toBe('images/session.png');
  expect(slug('What `done` means, in short')).toBe('what-done-means-in-short');
});

it('[UIH11] a page that cannot be shown says why and what to do', () => {
  expect(errorWords(404, 'Not Found', true)).toMatchObject({ reload: false, signIn: false });
  expect(errorWords(401, '', true).signIn).toBe(true);
  const stale = errorWords(500, 'Failed to fetch dynamically imported module', true);
  expect(stale).toMatchObject({ reload: true, detail: null });
  expect(errorWords(500, 'x is not a function', true).detail).toBe('x is not a function');
  expect(errorWords(500, 'anything', false).advice).toContain('no network');
});
