import type { Child, Children } from '@filepath/protocol';
import { cutMiddle } from '@filepath/loop';

const MAX_TEXT = 40_000;

/** One line for each child, with its last words indented below it. */
export function childrenText({ children, gone = [] }: Children): string {
  if (children.length + gone.length === 0) return 'No children.';
  const most = Math.max(500, Math.floor(MAX_TEXT / Math.max(1, children.length)) - 200);
  const left = gone.map(({ id, name, how }) => `${id} ${JSON.stringify(name)}: ${GONE[how]}`);
  return [...children.map((child) => childText(child, most)), ...left].join('\n');
}

const GONE = {
  deleted: 'deleted by a person; no result of it will come',
  moved: 'moved away by a person, no child of yours any more; no result of it will come to you',
} as const;

function childText({ id, name, agentType, status, reason, queue, result }: Child, most: number) {
  const place = queue === null ? '' : `, place ${queue} in line`;
  const why = reason === null ? '' : ` (${reason}${place})`;
  const line = `${id} ${JSON.stringify(name)} ${agentType}: ${status}${why}`;
  const words = result?.words ?? null;
  if (words === null) return line;
  return `${line}\n  ${cutMiddle(words, most).replaceAll('\n', '\n  ')}`;
}
