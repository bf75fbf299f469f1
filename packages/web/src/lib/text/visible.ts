/**
 * Characters that nobody sees, or that change how the text around them is read: controls, overrides and isolates of
 * direction, zero-width ones, tags. Line feed and tab are text.
 */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex
  /([\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}])\1*/gu;

/** Most texts have none of them, which this finds out many times faster. */
const ANY =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\uDB40]/;

/** The same text, with a mark in the place of what would be unseen. */
export function visible(text: string): string {
  if (!ANY.test(text)) return text;
  return text.replace(UNSEEN, (run: string, one: string) => {
    const count = run.length / one.length;
    return count <= 3 ? markOf(one).repeat(count) : `${markOf(one)}×${count}`;
  });
}

function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** A text of one line that is at most so long. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, safeEnd(text, most))}…`;
}

/** Never between the halves of one character. */
function safeEnd(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}
