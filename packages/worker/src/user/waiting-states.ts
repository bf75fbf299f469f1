import { type AttentionKind, type Node, shownPath } from '@filepath/protocol';

/** Why a node waits for a person. `mark`: by what the same thing is known again. */
type WaitingState = { kind: AttentionKind; why: string; choices: string[]; mark: string };

/** The person has seen it, and it waits no more until it comes anew. */
export const LEAVE = 'leave it';

/** Names of files of a conflict that are told. */
const FILES_NAMED = 5;

/** Everything that a node waits for, apart from its questions. */
export function statesOf(node: Node): WaitingState[] {
  return [stuck(node), limited(node), conflicting(node)].filter((state) => state !== null);
}

function stuck({ status, blocked, blockedAt, failure, limit }: Node): WaitingState | null {
  if (blocked !== null) {
    const mark = `${blocked} ${blockedAt ?? ''}`;
    return { kind: 'budget', why: blocked, choices: ['raise', 'stop'], mark };
  }
  // What ended by a limit goes on by itself.
  if (status !== 'error' || failure === undefined || limit !== undefined) return null;
  const why = failure.reason ?? 'it failed';
  const kind = /^(gate failed|the gates could not)/.test(why) ? 'gate' : 'failure';
  return { kind, why, choices: ['restart', 'message', LEAVE], mark: String(failure.seq) };
}

function limited({ limit }: Node): WaitingState | null {
  if (limit === undefined) return null;
  const { reason, until, seq } = limit;
  return { kind: 'limit', why: reason, choices: ['resume now', 'stop'], mark: `${seq} ${until}` };
}

/** One that an agent has as a task waits for nobody. */
function conflicting({ conflict }: Node): WaitingState | null {
  if (conflict === undefined || conflict.handed) return null;
  const { target, ours, files, seq, into } = conflict;
  const more = files.length > FILES_NAMED ? ` and ${files.length - FILES_NAMED} more` : '';
  const named = files.slice(0, FILES_NAMED).map(shownPath).join(', ');
  const why = `its work conflicts with ${target}: ${named}${more}`;
  // The session's branch is no agent's.
  const parent = into === 'parent' ? ['hand to its parent'] : [];
  const hand = ['hand to the agent', ...parent, 'hand to a new agent'];
  const choices = [...hand, 'merge again', LEAVE];
  return { kind: 'conflict', why, choices, mark: `${seq} ${ours}` };
}
