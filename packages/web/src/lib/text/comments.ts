import { shortHash } from './hunks.ts';

/** What is said of a line, or of several that follow each other. */
export type LineComment = {
  id: string;
  path: string;
  /** `old`: the lines as they were before. */
  side: 'old' | 'new';
  from: number;
  to: number;
  quote: readonly string[];
  text: string;
};

const QUOTED_LINES = 12;
const QUOTED_CHARACTERS = 240;

export function placeOf({
  path,
  side,
  from,
  to,
}: Pick<LineComment, 'path' | 'side' | 'from' | 'to'>): string {
  const lines = from === to ? `${from}` : `${from}-${to}`;
  return `${path}:${lines}${side === 'old' ? ' (before)' : ''}`;
}

/** One message of all of them, in the order of files and lines. */
export function messageOf(comments: readonly LineComment[], head: string): string {
  const ordered = comments.toSorted(
    (one, other) => one.path.localeCompare(other.path) || one.from - other.from,
  );
  const parts = ordered.map((comment) => {
    const quote = comment.quote
      .slice(0, QUOTED_LINES)
      .map((line) => `> ${line.slice(0, QUOTED_CHARACTERS)}`);
    const more = comment.quote.length > QUOTED_LINES ? ['> …'] : [];
    return [`${placeOf(comment)}`, ...quote, ...more, comment.text.trim()].join('\n');
  });
  const what = comments.length === 1 ? 'A comment' : `${comments.length} comments`;
  return [`${what} on your changes at ${shortHash(head)}:`, ...parts].join('\n\n');
}
