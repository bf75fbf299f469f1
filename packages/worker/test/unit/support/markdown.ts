import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../../../..');

export function readDoc(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The repository's own pages. */
export function pages(): string[] {
  return globSync(['*.md', 'docs/**/*.md', 'design/**/*.md'], { cwd: ROOT });
}

/** The text below a heading, up to the next one of the same level or above. */
export function section(text: string, heading: string): string {
  const level = heading.indexOf(' ');
  const lines = text.split('\n');
  const from = lines.indexOf(heading);
  if (from === -1) throw new Error(`there is no heading "${heading}"`);
  const rest = lines.slice(from + 1);
  const to = rest.findIndex((line) => /^#+ /.test(line) && line.indexOf(' ') <= level);
  return rest.slice(0, to === -1 ? undefined : to).join('\n');
}

/** Fenced blocks of one language. */
export function fences(text: string, language: string): string[] {
  const pattern = new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm');
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** Cells of the tables, without the heads. */
export function rows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
}

/** Names in backquotes. */
export function codes(text: string): Set<string> {
  return new Set([...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? ''));
}

/** Links to files of the repository, from the place of the page. */
export function fileLinks(page: string, text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^(https?:|#)/.test(target))
    .map((target) => join(dirname(page), target.replace(/#.*$/, '')));
}
