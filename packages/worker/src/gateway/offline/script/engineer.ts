import { PARTS } from './child.ts';
import { filesOf, freeName } from './files.ts';
import { commit, lookAround, readOne, showFile, whatIsHere } from './shared.ts';
import type { Part, Scene, Stage } from './stage.ts';
import { became, heard, INTRODUCTION, KEYS, linesOf, short } from './words.ts';

function fileOf(scene: Scene): string {
  return freeName(filesOf(scene), 'filepath-demo');
}

function note(scene: Scene): string {
  return `# A note by the demo script

The agent was asked: “${short(scene.round.task, 300)}”

${INTRODUCTION} It cannot do what was asked. It shows what an agent does: look, write, run, commit, have children.

${whatIsHere(scene)}
`;
}

const write: Stage = {
  name: 'write',
  play: (scene) => ({
    text: `Now I write ${fileOf(scene)}, with what I have seen.`,
    calls: [{ name: 'write_file', input: { path: fileOf(scene), content: note(scene) } }],
  }),
};

const haveChildren: Stage = {
  name: 'spawn',
  play: () => ({
    text: 'Two children do a piece each: one reads and reports, one writes and commits.',
    calls: PARTS.map((input) => ({ name: 'spawn_agent', input })),
  }),
};

const waitForThem: Stage = {
  name: 'wait',
  play: (scene) =>
    scene.result('spawn') === undefined
      ? null
      : {
          text: 'I wait until they are done.',
          calls: [{ name: 'wait_children', input: { seconds: 180 } }],
        },
};

/** Lines of wait_children: an id, then the name in quotes; what a child said is indented. */
function childrenOf(scene: Scene): string[] {
  const lines = linesOf(scene.result('wait')?.text ?? '');
  return lines.flatMap((line) => /^([A-Za-z0-9_-]{1,64}) "/.exec(line)?.[1] ?? []).slice(0, 2);
}

const listen: Stage = {
  name: 'listen',
  play: (scene) => ({
    text: 'I read what they said.',
    calls: childrenOf(scene).map((id) => ({ name: 'read_child_messages', input: { id } })),
  }),
};

/** Of read_child_messages: what the child said last, up to the end of the line. */
function lastWords(text: string): string | undefined {
  const last = text.split(/\n\n(?=\w+: )/).findLast((message) => message.startsWith('agent: '));
  return last?.replace('agent: ', '').split('\n')[0];
}

function childLines(scene: Scene): string[] {
  const listed = linesOf(scene.result('wait')?.text ?? '').filter((line) => /^\S+ "/.test(line));
  return listed.slice(0, 2).map((line, at) => {
    const said = lastWords(scene.result('listen', at)?.text ?? '');
    const state = short(line.replace(/^\S+ /, ''), 80);
    return `- a child, ${state}${said ? `. It said: ${short(said)}` : ''}`;
  });
}

/** Only a wait that failed is told of by itself: else its children are. */
function waited(scene: Scene): string[] {
  const children = childLines(scene);
  return children.length > 0 ? children : became(scene, 'waited for them', 'wait', /^No children/);
}

/** The agent that may change things: a tour through its tools. */
export const engineer: Part = {
  stages: [
    lookAround(
      `${INTRODUCTION} It shows in this sandbox, with real tools, what an agent does. First I look around.`,
    ),
    readOne,
    write,
    showFile(fileOf),
    commit(fileOf, 'docs: add a note by the demo script'),
    haveChildren,
    waitForThem,
    listen,
  ],
  end: (scene) =>
    [
      `Done, as far as a script can: the task was “${short(scene.round.task)}”, and there is no language model here that could solve it.${heard(scene)}`,
      [
        `- looked around: ${whatIsHere(scene)}`,
        ...became(scene, `wrote ${fileOf(scene)}`, 'write', /^(Created|Replaced)/),
        ...became(scene, 'ran a command', 'run', /^exit 0/),
        ...became(scene, 'committed', 'commit', /^\[/),
        ...became(scene, 'asked for a child that reads', 'spawn', /^Started/),
        ...became(scene, 'asked for a child that writes', 'spawn', /^Started/, 1),
        ...waited(scene),
      ].join('\n'),
      KEYS,
    ].join('\n\n'),
};
