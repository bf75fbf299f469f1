/** The documentation, one chunk for each page, loaded when it is opened. */
const TEXTS = import.meta.glob<string>('../../../../../docs/**/*.md', {
  query: '?raw',
  import: 'default',
});
const IMAGES = import.meta.glob<string>('../../../../../docs/images/*.png', {
  query: '?url',
  import: 'default',
  eager: true,
});
const ROOT = '../../../../../docs/';
const HOME = 'README';

/** The text of a page, by its path below `docs`; null if there is none. */
export async function textOf(path: string): Promise<string | null> {
  const load = TEXTS[`${ROOT}${path === '' ? HOME : path}.md`];
  return load ? load() : null;
}

export const isPage = (path: string): boolean => `${ROOT}${path}.md` in TEXTS;

export const imageAt = (path: string): string | null => IMAGES[`${ROOT}${path}`] ?? null;
