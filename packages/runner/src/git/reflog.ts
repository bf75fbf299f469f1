/** One line of the log of HEAD. */
export type Move = { from: string; to: string; message: string };

const HASH = '([0-9a-f]{40}|[0-9a-f]{64})';
const LINE = new RegExp(`^${HASH} ${HASH} .*? \\d+ [+-]\\d{4}\\t(.*)$`, 's');
/** What git writes before the subject when it has made a commit; the rest of its words is for moves to known ones. */
const MADE =
  /^(?:commit|cherry-pick|revert|am|rebase|pull)(?: [^:]*)?\s?(?:\((?:initial|amend|merge|cherry-pick|pick|reword|edit|squash|fixup|continue)\))?: /;
const STEPS = /^(?:rebase|pull)[^:]*\((?:start|finish|abort)\)/;

export function parseMove(line: string): Move | null {
  const [, from, to, message] = LINE.exec(line) ?? [];
  if (from === undefined || to === undefined || message === undefined) return null;
  return { from, to, message };
}

/** The subject of the commit that the move has made; null where it made none. */
export function subjectOf({ from, to, message }: Move): string | null {
  if (from === to || STEPS.test(message) || message.endsWith(': Fast-forward')) return null;
  if (message.startsWith('merge ')) return message;
  const prefix = MADE.exec(message);
  return prefix === null ? null : message.slice(prefix[0].length);
}
