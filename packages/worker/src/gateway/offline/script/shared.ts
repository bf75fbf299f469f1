import { firstLines, filesOf, tellingFile } from './files.ts';
import type { Scene, Stage } from './stage.ts';
import { counted, short } from './words.ts';

export function lookAround(text: string): Stage {
  return {
    name: 'look',
    play: () => ({
      text,
      calls: [
        { name: 'list_files', input: {} },
        { name: 'git', input: { action: 'status' } },
      ],
    }),
  };
}

export const readOne: Stage = {
  name: 'read',
  play(scene) {
    const file = tellingFile(filesOf(scene));
    if (file === null) return null;
    return {
      text: `I read ${file}.`,
      calls: [{ name: 'read_file', input: { path: file, limit: 40 } }],
    };
  },
};

/** A file is shown; a folder without a repository becomes one, so that there is something to commit to. */
export function showFile(fileOf: (scene: Scene) => string): Stage {
  return {
    name: 'run',
    play: (scene) => ({
      text: 'I run a command and see what it says.',
      calls: [{ name: 'bash', input: { command: command(fileOf(scene)) } }],
    }),
  };
}

function command(file: string): string {
  return [
    'git rev-parse --git-dir >/dev/null 2>&1 || git init --quiet',
    'uname -sm',
    `wc -lw ${file}`,
    'git status --short',
  ].join(' && ');
}

export function commit(fileOf: (scene: Scene) => string, message: string): Stage {
  return {
    name: 'commit',
    play: (scene) => ({
      text: 'I commit it.',
      calls: [{ name: 'git', input: { action: 'commit', message, paths: [fileOf(scene)] } }],
    }),
  };
}

/** What the folder holds, in a sentence. */
export function whatIsHere(scene: Scene): string {
  const files = filesOf(scene);
  if (files.length === 0) return 'The workspace is empty.';
  const file = tellingFile(files);
  const first = firstLines(scene.result('read')?.text ?? '', 1)[0];
  const reading = file && first ? ` ${file} begins with “${short(first, 100)}”.` : '';
  return `The first look shows ${counted(files.length, 'file')}.${reading}`;
}
