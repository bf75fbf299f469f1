import { filesOf } from './files.ts';
import type { Part } from './stage.ts';
import { counted, heard, INTRODUCTION, KEYS, linesOf, short } from './words.ts';

/** Whatever is said after the demonstration: one look, and a short answer. */
export const followUp: Part = {
  stages: [
    {
      name: 'look',
      play: () => ({
        text: 'I see how things stand.',
        calls: [
          { name: 'list_files', input: { depth: 1 } },
          { name: 'git', input: { action: 'log', limit: 3 } },
        ],
      }),
    },
  ],
  end(scene) {
    const log = linesOf(scene.result('look', 1)?.text ?? '').slice(0, 3);
    const commits = log.map((line) => `> ${short(line)}`).join('\n');
    return [
      `You wrote “${short(scene.round.messages[0] ?? '')}”. ${INTRODUCTION} It cannot understand that.${heard(scene)}`,
      `At the top of the workspace: ${counted(filesOf(scene).length, 'file')}.${commits ? ` git says:\n\n${commits}` : ''}`,
      KEYS,
    ].join('\n\n');
  },
};
