import { filesOf, firstLines, freeName } from './files.ts';
import { commit, lookAround, readOne, showFile, whatIsHere } from './shared.ts';
import type { Part, Scene, Stage } from './stage.ts';
import { became, heard, INTRODUCTION, short } from './words.ts';

const READS = '[offline/demo: the child that reads]';
const WRITES = '[offline/demo: the child that writes]';

/** What the two children of the demonstration are asked. */
export const PARTS = [
  {
    name: 'demo reader',
    task: `${READS} Look at the workspace, read the file that says most about it, and report what it is.`,
  },
  {
    name: 'demo writer',
    task: `${WRITES} Write a file of your own into the workspace and commit it.`,
  },
] as const;

export function isReader(task: string): boolean {
  return task.startsWith(READS);
}

export function isWriter(task: string): boolean {
  return task.startsWith(WRITES);
}

/** It reads and reports. */
export const reader: Part = {
  stages: [lookAround(`${INTRODUCTION} My part is to read. I look around.`), readOne],
  end(scene) {
    const lines = firstLines(scene.result('read')?.text ?? '', 3);
    const quoted = lines.map((line) => `> ${short(line)}`).join('\n');
    return `My report: ${whatIsHere(scene)}${heard(scene)}${quoted ? `\n\n${quoted}` : ''}`;
  },
};

function fileOf(scene: Scene): string {
  return freeName(filesOf(scene), 'filepath-demo-child');
}

const write: Stage = {
  name: 'write',
  play: (scene) => ({
    text: `I write ${fileOf(scene)}.`,
    calls: [
      {
        name: 'write_file',
        input: {
          path: fileOf(scene),
          content: `# A note by a child of the demo script\n\n${INTRODUCTION}\nA child works in a workspace of its own, on a branch of its own.\n`,
        },
      },
    ],
  }),
};

/** It writes and commits. */
export const writer: Part = {
  stages: [
    lookAround(`${INTRODUCTION} My part is to write. I look around.`),
    write,
    showFile(fileOf),
    commit(fileOf, 'docs: add a note by a child of the demo script'),
  ],
  end: (scene) =>
    [
      `My part is done.${heard(scene)}`,
      ...became(scene, `wrote ${fileOf(scene)}`, 'write', /^(Created|Replaced)/),
      ...became(scene, 'committed', 'commit', /^\[/),
    ].join('\n'),
};
