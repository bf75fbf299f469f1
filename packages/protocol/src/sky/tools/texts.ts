import { type ToolArgs, TOOL_LIMITS } from './args.ts';
import { refusal, type ToolOutcome } from './files.ts';

/** Words that say nothing of what a text is about. */
const COMMON = new Set(
  'the a an and or but of to in on at by for from with as is are was were be been it its this that these those he she they we you i not no so if than then there their his her our your will would can could has have had do does did'.split(
    ' ',
  ),
);
const SENTENCES = 5_000;

/** The sentences whose words are the most frequent, in their order. The same text gives the same summary. */
export function summarize(
  text: string,
  { max_chars: most = 1_000 }: ToolArgs<'summarize'>,
): ToolOutcome {
  const sentences = text
    .split(/(?<=[.!?。！？])\s+|\n+/u)
    .map((sentence) => sentence.replace(/\s+/gu, ' ').trim())
    .filter((sentence) => sentence !== '')
    .slice(0, SENTENCES);
  const times = new Map<string, number>();
  for (const sentence of sentences) {
    for (const word of wordsOf(sentence)) times.set(word, (times.get(word) ?? 0) + 1);
  }
  const weigh = (sentence: string): number => {
    const words = wordsOf(sentence);
    if (words.length === 0) return 0;
    return words.reduce((sum, word) => sum + (times.get(word) ?? 0), 0) / (words.length + 4);
  };
  const ranked = sentences
    .map((sentence, at) => ({ sentence, at, weight: weigh(sentence) }))
    .toSorted((a, b) => b.weight - a.weight || a.at - b.at);
  const kept: typeof ranked = [];
  let room = most;
  for (const one of ranked) {
    if (one.sentence.length + 1 > room) continue;
    kept.push(one);
    room -= one.sentence.length + 1;
  }
  const summary = kept
    .toSorted((a, b) => a.at - b.at)
    .map(({ sentence }) => sentence)
    .join(' ');
  const shown = summary === '' ? text.trim().slice(0, most) : summary;
  return { ok: true, output: { summary: shown, sentences: kept.length, of: sentences.length } };
}

function wordsOf(sentence: string): string[] {
  const words = sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !COMMON.has(word));
}

const FOUND = {
  links: /https?:\/\/[^\s<>"'`)\]}]{1,2000}/giu,
  emails: /[a-z0-9._%+-]{1,64}@[a-z0-9.-]{1,190}\.[a-z]{2,24}/giu,
  numbers: /(?<![\p{L}\p{N}.])-?\d{1,30}(?:[.,]\d{1,30}){0,10}(?![\p{L}\p{N}])/gu,
  dates: /\b\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/gu,
  headings: /^#{1,6} {1,8}\S.{0,500}$/gmu,
} as const;
const ITEMS = 500;

/** What a text has of one kind, each once and in its order; or a value of its JSON. */
export function extract(text: string, { what, pointer = '' }: ToolArgs<'extract'>): ToolOutcome {
  if (what === 'json') return fromJson(text, pointer);
  const items: string[] = [];
  const seen = new Set<string>();
  let room = TOOL_LIMITS.result;
  let more = false;
  for (const [found] of text.matchAll(FOUND[what])) {
    if (seen.has(found)) continue;
    more = items.length >= ITEMS || found.length > room;
    if (more) break;
    seen.add(found);
    items.push(found);
    room -= found.length + 3;
  }
  return { ok: true, output: { what, items, more } };
}

function fromJson(text: string, pointer: string): ToolOutcome {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refusal('bad_args', 'This is no JSON.');
  }
  if (pointer !== '' && !pointer.startsWith('/')) {
    return refusal('bad_args', 'A JSON Pointer begins with a slash.');
  }
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const inside = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    if (!inside) return refusal('not_found', `There is nothing at ${pointer}.`);
    value = (value as Record<string, unknown>)[key];
  }
  const shown = JSON.stringify(value);
  if (shown.length > TOOL_LIMITS.result) {
    return refusal('too_large', `${shown.length} characters are at ${pointer || '/'}. Go deeper.`);
  }
  return { ok: true, output: { what: 'json', value: shown } };
}
