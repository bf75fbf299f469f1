import { SessionId, ThreadId } from '@filepath/protocol';
import { forget, recall, remember } from './remembered.ts';

/** How many sessions, and branches of each, this browser keeps. */
export const KEPT_SESSIONS = 30;
export const KEPT_BRANCHES = 300;

const INDEX = 'collapsed';
const keyOf = (session: string): string => `${INDEX}:${session}`;

/** The branches of a session that were closed when it was last looked at. */
export function recallCollapsed(session: string): string[] {
  return ThreadId.array().safeParse(parsed(recall(keyOf(session)))).data ?? [];
}

/** The session that was not changed for longest is forgotten when there are too many. */
export function rememberCollapsed(session: string, ids: Iterable<string>): void {
  const kept = [...ids].slice(-KEPT_BRANCHES);
  const before = SessionId.array().safeParse(parsed(recall(INDEX))).data ?? [];
  const others = before.filter((one) => one !== session);
  const all = kept.length === 0 ? others : [...others, session];
  for (const old of all.slice(0, -KEPT_SESSIONS)) forget(keyOf(old));
  if (kept.length === 0) forget(keyOf(session));
  else remember(keyOf(session), JSON.stringify(kept));
  remember(INDEX, JSON.stringify(all.slice(-KEPT_SESSIONS)));
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
