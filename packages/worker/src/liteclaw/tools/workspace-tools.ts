import { type DeterministicTool, refusal, runDeterministic } from '@filepath/protocol/sky';
import type { ClawTool } from './tool.ts';
import type { Workspace } from './workspace.ts';

const WORDS: readonly (readonly [DeterministicTool, ClawTool['access'], string])[] = [
  ['read', 'read', 'Read a text file of the workspace of this chat, by lines.'],
  ['write', 'write', 'Write a text file into the workspace of this chat, whole.'],
  [
    'edit',
    'write',
    'Change a file of the workspace by exact match: `old` occurs once and is replaced by `new`. Read it first.',
  ],
  [
    'summarize',
    'read',
    'Pick the sentences that say most of a text, or of a file of the workspace.',
  ],
  [
    'extract',
    'read',
    'Find the links, e-mail addresses, numbers, dates or headings of a text or a file, or a value of its JSON.',
  ],
];

/** Their outcome names the generation of the workspace, so that a replay knows which files they were done on. */
export function workspaceTools(workspace: Workspace): ClawTool[] {
  return WORDS.map(([name, access, description]) => ({
    name,
    description,
    access,
    async run(args) {
      const outcome = await runDeterministic(name, args, workspace);
      return { ...outcome, output: { ...outcome.output, workspace: workspace.generation } };
    },
  }));
}

/** Where tools run in the worker there is nothing that could run a program. */
export const bashTool: ClawTool = {
  name: 'bash',
  description: 'Run a command in the workspace, where an executor for it is connected.',
  access: 'write',
  run: async () =>
    refusal(
      'no_executor',
      'No executor that runs commands is connected to this chat. Use read, edit and write.',
    ),
};
