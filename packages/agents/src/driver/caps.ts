import { type AgentEvent, LIMITS } from '@filepath/protocol';

/** The most that an event keeps of what a tool printed or was given. */
export const KEPT_OUTPUT = 64 * 1024;
const KEPT_TEXT = 512 * 1024;
const DEEPEST = LIMITS.depth - 8;
/** JSON may write a character in six. */
const LONGEST_LINE = LIMITS.line - 1024;

/** Its head and its tail, with what was left out between them. */
export function cutMiddle(text: string, max: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= max) return text;
  const buffer = Buffer.from(text);
  const half = Math.max(0, Math.floor((max - 64) / 2));
  const head = buffer
    .subarray(0, half)
    .toString()
    .replace(/\uFFFD$/, '');
  const tail = buffer
    .subarray(bytes - half)
    .toString()
    .replace(/^\uFFFD+/, '');
  return `${head}\n… ${bytes - 2 * half} bytes left out …\n${tail}`;
}

/** The event with every part within bounds, so that its line is one that the runner takes. */
export function bounded(event: AgentEvent): AgentEvent {
  const max = event.type === 'text' ? KEPT_TEXT : KEPT_OUTPUT;
  for (let share = max; share >= 256; share = Math.floor(share / 4)) {
    const cut = cutStrings(event, share, 0) as AgentEvent;
    if (Buffer.byteLength(JSON.stringify(cut)) <= LONGEST_LINE) return cut;
  }
  return { type: 'log', level: 'warn', message: `an event "${event.type}" was too large to tell` };
}

function cutStrings(value: unknown, max: number, depth: number): unknown {
  if (typeof value === 'string') return cutMiddle(value, max);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '(nested too deep)';
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, max, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, cutStrings(inner, max, depth + 1)]),
  );
}
