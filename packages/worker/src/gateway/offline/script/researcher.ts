import { filesOf, firstLines, tellingFile } from './files.ts';
import { lookAround, whatIsHere } from './shared.ts';
import type { Part, Scene, Stage } from './stage.ts';
import { heard, INTRODUCTION, KEYS, linesOf, short } from './words.ts';

const COMMON = new Set(
  'about after again answer before could does from have here into look make please should show tell that their them then there these they this those what when where which while with would your'.split(
    ' ',
  ),
);

/** The longest words of a question, as far as they may be in a file. */
export function wordsOf(question: string): string[] {
  const words = question.toLowerCase().match(/[a-z0-9_]{4,40}/g) ?? [];
  const telling = [...new Set(words)].filter((word) => !COMMON.has(word));
  return telling.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, 3);
}

function patternOf({ round }: Scene): string {
  const words = wordsOf(round.task);
  return words.length > 0 ? `(${words.join('|')})` : '(todo|fixme)';
}

const searchAndRead: Stage = {
  name: 'search',
  play(scene) {
    const files = filesOf(scene);
    if (files.length === 0) return null;
    const file = tellingFile(files);
    return {
      text: 'I search for the words of the question, and read what says most about this place.',
      calls: [
        { name: 'search', input: { pattern: patternOf(scene), ignoreCase: true, limit: 20 } },
        ...(file ? [{ name: 'read_file', input: { path: file, limit: 40 } }] : []),
      ],
    };
  },
};

const history: Stage = {
  name: 'history',
  play: (scene) =>
    scene.result('look', 1)?.text.startsWith('## ')
      ? {
          text: 'I look at the history.',
          calls: [{ name: 'git', input: { action: 'log', limit: 5 } }],
        }
      : null,
};

function quote(title: string, lines: readonly string[]): string[] {
  return lines.length === 0
    ? []
    : [`${title}\n\n${lines.map((line) => `> ${short(line)}`).join('\n')}`];
}

/** The agent that changes nothing: it looks, searches, reads and sums up. */
export const researcher: Part = {
  stages: [
    lookAround(
      `${INTRODUCTION} It shows with real tools how an agent researches. First I look around.`,
    ),
    searchAndRead,
    history,
  ],
  end(scene) {
    const found = linesOf(scene.result('search')?.text ?? '').slice(0, 5);
    const read = firstLines(scene.result('search', 1)?.text ?? '', 3);
    const log = linesOf(scene.result('history')?.text ?? '').slice(0, 3);
    return [
      `You asked “${short(scene.round.task)}”. A script cannot answer that; this is what it has seen.${heard(scene)}`,
      whatIsHere(scene),
      ...quote(`A search for ${patternOf(scene)} gave:`, found),
      ...quote(`The beginning of ${tellingFile(filesOf(scene)) ?? 'a file'}:`, read),
      ...quote('The last commits:', log),
      KEYS,
    ].join('\n\n');
  },
};
