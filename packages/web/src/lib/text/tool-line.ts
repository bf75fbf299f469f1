/** What of a tool's input says most about it, the first that there is. */
const TELLING = [
  'command',
  'cmd',
  'args',
  'pattern',
  'query',
  'url',
  'path',
  'file_path',
  'name',
  'title',
  'task',
  'description',
  'prompt',
  'message',
];

/** One line on what a tool was asked to do; empty where its input does not say. */
export function toolLine(input: unknown): string {
  if (typeof input === 'string') return firstLine(input);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return '';
  const given = new Map<string, unknown>(Object.entries(input));
  for (const key of TELLING) {
    const line = lineOf(given.get(key));
    if (line !== '') return line;
  }
  return '';
}

function lineOf(value: unknown): string {
  if (typeof value === 'string') return firstLine(value);
  if (!Array.isArray(value)) return '';
  return firstLine(value.filter((part) => typeof part === 'string').join(' '));
}

function firstLine(text: string): string {
  return (text.trim().split('\n', 1)[0] ?? '').slice(0, 300);
}
