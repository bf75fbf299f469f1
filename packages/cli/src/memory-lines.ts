import type { Memory } from '@filepath/protocol';

/** A memory for a terminal. An agent wrote it: what a terminal would take for a command is taken out. */
export function memoryLines({
  id,
  scope,
  key,
  content,
  tags,
  source,
  updatedAt,
}: Memory): string[] {
  const where = scope === 'user' ? 'everywhere' : `${scope} ${key ?? ''}`;
  const who = source.by === 'person' ? 'a person' : source.name;
  const labels = tags.length === 0 ? '' : `  [${tags.join(', ')}]`;
  const head = `${id}  ${updatedAt.slice(0, 10)}  ${where}  by ${who}${labels}`;
  return [head, ...content.split(/\r\n|\n|\r/).map((line) => `  ${line}`)].map(printable);
}

export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
}
