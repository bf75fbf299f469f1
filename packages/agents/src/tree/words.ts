import type { Child } from '@filepath/protocol';
import { cutMiddle } from '@filepath/loop';

const MAX_TEXT = 40_000;

/** One line for each child, with its last words indented below it. */
export function childrenText(children: readonly Child[]): string {
  if (children.length === 0) return 'No children.';
  const most = Math.max(500, Math.floor(MAX_TEXT / children.length) - 200);
  return children.map((child) => childText(child, most)).join('\n');
}

function childText({ id, name, agentType, status, reason, queue, result }: Child, most: number) {
  const place = queue === null ? '' : `, place ${queue} in line`;
  const why = reason === null ? '' : ` (${reason}${place})`;
  const line = `${id} ${JSON.stringify(name)} ${agentType}: ${status}${why}`;
  const words = result?.words ?? null;
  if (words === null) return line;
  return `${line}\n  ${cutMiddle(words, most).replaceAll('\n', '\n  ')}`;
}
