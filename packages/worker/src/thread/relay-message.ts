/** A child of the agent, as its session knows it. */
export type ChildState = {
  id: string;
  name: string;
  status: string;
  reason: string | null;
  /** Its last words, where its work has ended and its parent knows; null: it said nothing. */
  words?: string | null;
};

/** What a fresh process is told of the work before it. */
export type RelayFacts = {
  why: 'handoff' | 'asked';
  summary: string;
  task: string | null;
  /** Open steps of the last plan. */
  steps: readonly { title: string; status: string }[];
  branch: string | null;
  /** Newest first. */
  commits: readonly { hash: string; message: string }[];
  children: readonly ChildState[];
  /** Of the run that was handed off, after its task. Oldest first. */
  messages: readonly { from: string; content: string }[];
};

/** Bytes of each part: together below 64 KiB. */
const ROOM = {
  summary: 20,
  task: 8,
  plan: 5,
  commits: 3,
  children: 4,
  results: 8,
  messages: 14,
} as const;
const KIB = 1024;
const LINE = 400;
const MESSAGE = 4 * KIB;
/** Of what one child said, also where there are many. */
const LEAST = 320;
const NAME = 120;

const OPENING = {
  handoff:
    'You go on with work of your own in a fresh context: the last one was handed off. Nothing of it is left but this note. Your workspace and home are as they were.',
  asked:
    'You go on with work of your own in a fresh context, because a person asked for that. Nothing of the last one is left but this note. Your workspace and home are as they were.',
} as const;

const CLOSING =
  'Go on with the work from here. If nothing is left to do, say so and end. Messages that follow are newer than this note.';

/** The first message of a fresh process: the same facts give the same words. */
export function relayMessage(facts: RelayFacts): string {
  const { why, summary, task, branch, commits } = facts;
  return [
    OPENING[why],
    part('What was handed over', cut(summary.trim(), ROOM.summary * KIB)),
    part('The task that it began with', cut(task ?? '', ROOM.task * KIB)),
    part(
      'Steps of the plan that are open',
      list(facts.steps, ROOM.plan, ({ status, title }) => `[${status}] ${title}`),
    ),
    part('Your branch', branch === null ? '' : cut(branch, LINE)),
    part(
      'Your last commits, newest first',
      list(commits, ROOM.commits, ({ hash, message }) => `${hash.slice(0, 12)} ${message}`),
    ),
    part('Your children', list(facts.children, ROOM.children, childLine)),
    part('What children that have ended said last', resultsOf(facts.children)),
    part('Messages that may not be answered yet', newestSaid(facts.messages)),
    CLOSING,
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function childLine({ id, name, status, reason }: ChildState): string {
  return `${name} (${id}): ${status}${reason === null ? '' : `, ${reason}`}`;
}

/** An equal share for each. */
function resultsOf(children: readonly ChildState[]): string {
  const ended = children.flatMap(({ id, name, words }) =>
    typeof words === 'string' && words.trim() !== '' ? [{ id, name, words: words.trim() }] : [],
  );
  const each = Math.max(LEAST, Math.floor((ROOM.results * KIB) / Math.max(1, ended.length)));
  const shown = ended.slice(0, Math.floor((ROOM.results * KIB) / each));
  return shown
    .map(({ id, name, words }) => {
      const head = `From ${cut(name, NAME)} (${id}):\n`;
      return head + cut(words, each - bytesOf(head) - 2);
    })
    .join('\n\n');
}

function part(title: string, text: string): string {
  return text === '' ? '' : `# ${title}\n\n${text}`;
}

/** As many of the first as there is room for, a line each. */
function list<T>(items: readonly T[], kib: number, line: (item: T) => string): string {
  const lines: string[] = [];
  let room = kib * KIB;
  for (const item of items) {
    const text = `- ${cut(line(item).replaceAll(/\s+/g, ' '), LINE)}`;
    room -= bytesOf(text) + 1;
    if (room < 64) return [...lines, `- and ${items.length - lines.length} more`].join('\n');
    lines.push(text);
  }
  return lines.join('\n');
}

/** The newest that there is room for, oldest first. */
export function newestSaid(messages: RelayFacts['messages']): string {
  const kept: string[] = [];
  let room = ROOM.messages * KIB;
  for (const { from, content } of messages.toReversed()) {
    const text = `From ${from === 'parent' ? 'your parent' : 'a person'}:\n${cut(content, MESSAGE)}`;
    room -= bytesOf(text) + 2;
    if (room < 0) break;
    kept.unshift(text);
  }
  return kept.join('\n\n');
}

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

/** Its beginning, at a character's boundary. */
export function cut(text: string, bytes: number): string {
  const encoded = encoder.encode(text);
  if (encoded.length <= bytes) return text;
  const head = new TextDecoder().decode(encoded.subarray(0, bytes - 16)).replace(/\uFFFD+$/, '');
  return `${head} … (cut)`;
}
