import { spellingsOf } from './spellings.ts';
import { type Unescaped, unescaped } from './unescaped.ts';

export const REDACTED = '[redacted]';

/** A shorter value would blot out ordinary text. */
const SHORTEST = 8;

/**
 * Replaces known secret values, in the forms in which they commonly appear and with any of their characters escaped.
 * It helps against accidents: whoever wants to can write a secret in a way that no list knows.
 */
export function redactorOf(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue;
    for (const form of spellingsOf(secret)) forms.add(form);
  }
  if (forms.size === 0) return (text) => text;
  // The longer form first: a part of it would leave the rest in sight.
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(sorted.map(literally).join('|'), 'g');
  return (text) => {
    const shown = text.replace(pattern, REDACTED);
    const view = unescaped(shown);
    return view === null ? shown : withoutMatches(shown, view, pattern);
  };
}

function withoutMatches(text: string, view: Unescaped, pattern: RegExp): string {
  let shown = '';
  let from = 0;
  for (const match of view.text.matchAll(pattern)) {
    const begin = view.textAt(match.index);
    shown += text.slice(from, begin) + REDACTED;
    from = view.textAt(match.index + match[0].length);
  }
  return from === 0 ? text : shown + text.slice(from);
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
