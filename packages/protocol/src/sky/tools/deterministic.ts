import { type SkyToolName, TOOL_ARGS, type ToolArgs } from './args.ts';
import { editFile, type Files, readFile, refusal, type ToolOutcome, writeFile } from './files.ts';
import { extract, summarize } from './texts.ts';

/** Tools whose outcome follows from their arguments and the files of the workspace. */
export const DETERMINISTIC = ['read', 'edit', 'write', 'summarize', 'extract'] as const;
export type DeterministicTool = (typeof DETERMINISTIC)[number];

export function isDeterministic(name: string): name is DeterministicTool {
  return (DETERMINISTIC as readonly string[]).includes(name);
}

/** Where the files that a call was made on are known only in part, `files` throws for what it does not know. */
export async function runDeterministic(
  name: DeterministicTool,
  given: unknown,
  files: Files,
): Promise<ToolOutcome> {
  switch (name) {
    case 'read':
      return readFile(files, args('read', given));
    case 'edit':
      return editFile(files, args('edit', given));
    case 'write':
      return writeFile(files, args('write', given));
    case 'summarize': {
      const parsed = args('summarize', given);
      return ofText(files, parsed, (text) => summarize(text, parsed));
    }
    case 'extract': {
      const parsed = args('extract', given);
      return ofText(files, parsed, (text) => extract(text, parsed));
    }
  }
}

function args<Name extends SkyToolName>(name: Name, given: unknown): ToolArgs<Name> {
  return TOOL_ARGS[name].parse(given) as ToolArgs<Name>;
}

function ofText(
  files: Files,
  { text, path = '' }: { text?: string | undefined; path?: string | undefined },
  run: (text: string) => ToolOutcome,
): ToolOutcome {
  const found = text ?? files.get(path);
  if (found === null) return refusal('not_found', `There is no file ${path} in the workspace.`);
  return run(found);
}
