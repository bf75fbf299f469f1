/** A line that may become the mark of a block: it is shown when it is known what it is. */
const MARK = /^[ \t]*(?:[-*+]|\d{1,9}[.)]?|#{1,6}|>[> ]*|[`~]{1,}|=+|-+|\|[-:| ]*)?[ \t]*$/;
const FENCE = /^[ \t>]*(?:[-*+] |\d{1,9}[.)] )*(`{3,}|~{3,})/;

/**
 * The end of a text that is still being written, without what would be shown now as one thing and with the next
 * characters as another.
 */
export function steady(source: string): string {
  if (insideFence(source)) return withoutMark(source, /^[ \t>]*[`~]+$/);
  return closed(withoutTableHead(withoutMark(source, MARK)));
}

function insideFence(source: string): boolean {
  let open: string | null = null;
  for (const line of source.split('\n')) {
    const fence = FENCE.exec(line)?.[1];
    if (fence === undefined) continue;
    if (open === null) open = fence;
    else if (fence.startsWith(open)) open = null;
  }
  return open !== null;
}

function withoutMark(source: string, mark: RegExp): string {
  const at = source.lastIndexOf('\n') + 1;
  return mark.test(source.slice(at)) ? source.slice(0, at) : source;
}

/** The first line of a table looks like a paragraph until its second is there. */
function withoutTableHead(source: string): string {
  const blank = source.lastIndexOf('\n\n');
  const at = blank === -1 ? 0 : blank + 2;
  const [head = '', second, ...rest] = source.slice(at).split('\n');
  if (!head.trimStart().startsWith('|') || rest.length > 0) return source;
  return second === undefined || second === '' || second.trimStart().startsWith('|')
    ? source.slice(0, at)
    : source;
}

/** Marks that the last line opens are closed, so that what they mark looks so from its first letter on. */
function closed(source: string): string {
  const at = source.lastIndexOf('\n') + 1;
  const line = source.slice(at);
  const ticks = openTicks(line);
  if (ticks !== null) {
    return line.endsWith(ticks) ? source.slice(0, -ticks.length) : source + ticks;
  }
  const label = line
    .replace(/!?\[([^[\]]*)(?:\](?:\([^()\s]*)?)?$/, '$1')
    .replace(/(?<=[\s(]|^)[*_]{1,3}$/, '');
  const bold = label.replace(/`[^`]*`/g, '').match(/\*\*/g)?.length ?? 0;
  const ended =
    bold % 2 === 0
      ? label
      : label.endsWith('**')
        ? label.slice(0, -2)
        : `${label.replace(/\*$/, '')}**`;
  return source.slice(0, at) + ended;
}

/** The backticks of inline code that is open at the end of a line. */
function openTicks(line: string): string | null {
  let open: string | null = null;
  for (const [run] of line.matchAll(/`+/g)) {
    if (open === null) open = run;
    else if (open === run) open = null;
  }
  return open;
}
