import { lexer, type Token, type Tokens } from 'marked';

export type Entry = { path: string; title: string; about: string };
export type Section = { name: string; entries: Entry[] };

/** The table of contents, from the first page: sections in bold, and a list of links below each. */
export function contentsOf(readme: string): Section[] {
  const sections: Section[] = [];
  for (const token of lexer(readme)) {
    if (token.type === 'paragraph') {
      const name = boldOnly(token.tokens ?? []);
      if (name !== null) sections.push({ name, entries: [] });
    } else if (token.type === 'list') {
      const { items } = token as Tokens.List;
      sections.at(-1)?.entries.push(...items.flatMap(entryOf));
    }
  }
  return sections;
}

function boldOnly(tokens: readonly Token[]): string | null {
  const [only, ...more] = tokens;
  return only?.type === 'strong' && more.length === 0 ? plainText([only]) : null;
}

function entryOf(item: Tokens.ListItem): Entry[] {
  const inline = item.tokens.flatMap((token) => ('tokens' in token ? (token.tokens ?? []) : []));
  const [link, ...rest] = inline;
  if (link?.type !== 'link') return [];
  const { href, tokens } = link as Tokens.Link;
  if (!href.endsWith('.md')) return [];
  const about = plainText(rest).replace(/^:\s*/, '');
  return [{ path: href.slice(0, -'.md'.length), title: plainText(tokens), about }];
}

export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens
        ? plainText(token.tokens)
        : unescaped('text' in token && typeof token.text === 'string' ? token.text : token.raw),
    )
    .join('');
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** marked escapes some inline text for HTML; text nodes want it as it was. */
export function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => NAMED[name] ?? whole);
}

/** The entries whose title or description holds every word. */
export function search(sections: readonly Section[], words: string): Section[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ title, about }: Entry): boolean => {
    const text = `${title} ${about}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  return sections
    .map((section) => ({ ...section, entries: section.entries.filter(fits) }))
    .filter((section) => section.entries.length > 0);
}
