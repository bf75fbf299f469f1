import { recall, remember } from './remembered.ts';

/** Messages that were begun and not sent, by agent, newest first. This browser keeps them. */
const KEY = 'drafts';
const MOST = 40;
const CHARACTERS = 256 * 1024;

type Draft = readonly [agent: string, text: string];

export function keptDraft(agent: string): string {
  return all().find(([one]) => one === agent)?.[1] ?? '';
}

/** An empty text is kept no longer. The oldest go where there are too many. */
export function keepDraft(agent: string, text: string): void {
  const others = all().filter(([one]) => one !== agent);
  if (text === '' && others.length === all().length) return;
  const kept: Draft[] = [];
  let room = CHARACTERS;
  for (const draft of text.trim() === '' ? others : [[agent, text] as const, ...others]) {
    room -= draft[1].length;
    if (room < 0 || kept.length === MOST) break;
    kept.push(draft);
  }
  remember(KEY, JSON.stringify(kept));
}

/** Storage is shared with other versions of the page: what is not a draft is left out. */
function all(): Draft[] {
  try {
    const value: unknown = JSON.parse(recall(KEY) ?? '[]');
    return Array.isArray(value) ? value.filter(isDraft) : [];
  } catch {
    return [];
  }
}

function isDraft(value: unknown): value is Draft {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    typeof value[0] === 'string' &&
    typeof value[1] === 'string'
  );
}
