/** Elements whose content is nothing to read. */
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head', 'iframe']);
const BLOCKS =
  /^(address|article|aside|blockquote|br|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  copy: '©',
};

/** The text of a page, in one pass over it: a line for each block, headings and list items marked. */
export function htmlToText(html: string): string {
  const lower = html.toLowerCase();
  let out = '';
  for (let at = 0; at < html.length;) {
    const open = html.indexOf('<', at);
    if (open === -1) {
      out += html.slice(at);
      break;
    }
    out += html.slice(at, open);
    if (lower.startsWith('<!--', open)) {
      at = after(lower, '-->', open);
      continue;
    }
    const close = after(html, '>', open);
    const name = /^<\/?([a-z][a-z0-9]*)/.exec(lower.slice(open, open + 20))?.[1];
    if (name === undefined) out += html[open + 1] === '!' ? '' : html.slice(open, close);
    else if (BLOCKS.test(name)) out += `\n${lower[open + 1] === '/' ? '' : markOf(name)}`;
    else if (name === 'td' || name === 'th') out += ' ';
    at = name !== undefined && SKIPPED.has(name) ? after(lower, `</${name}`, close) : close;
    if (name !== undefined && SKIPPED.has(name) && at > close) at = after(html, '>', at);
  }
  return tidy(decode(out));
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}

function markOf(name: string): string {
  if (name === 'li') return '- ';
  return /^h[1-6]$/.test(name) ? `${'#'.repeat(Number(name[1]))} ` : '';
}

function decode(text: string): string {
  return text.replace(/&(#x?[0-9a-f]{1,6}|[a-z]{2,8});/gi, (whole, word: string) => {
    if (!word.startsWith('#')) return ENTITIES[word.toLowerCase()] ?? whole;
    const code = /^#x/i.test(word) ? Number.parseInt(word.slice(2), 16) : Number(word.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[\t\r ]+/g, ' ').trim());
  return lines
    .filter((line, at) => line !== '' || (at > 0 && lines[at - 1] !== ''))
    .join('\n')
    .trim();
}
