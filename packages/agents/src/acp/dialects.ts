import { basename } from 'node:path';
import type { Surroundings } from '../driver/program.ts';
import { houseRules } from '../codex/house-rules.ts';
import { opencodeEnv } from './opencode.ts';

/** What a program needs beyond the protocol. */
export type Dialect = {
  /** A prompt that comes while another runs joins its turn. */
  readonly joinsPrompts: boolean;
  /** What the model says has the id of its message; a text without one is the program's own. */
  readonly namesMessages: boolean;
  /** Resuming a session brings nothing of it back; loading it does. */
  readonly loads: boolean;
  readonly args: (around: Surroundings) => readonly string[];
  readonly env: (around: Surroundings) => Readonly<Record<string, string>>;
};

const PLAIN: Dialect = {
  joinsPrompts: false,
  namesMessages: false,
  loads: false,
  args: () => [],
  env: () => ({}),
};

const DIALECTS: Readonly<Record<string, Dialect>> = {
  opencode: { ...PLAIN, joinsPrompts: true, env: opencodeEnv },
  'codex-acp': { ...PLAIN, namesMessages: true },
  gemini: { ...PLAIN, args: modelFlag },
  qwen: { ...PLAIN, loads: true, args: (around) => [...modelFlag(around), ...rulesFlag(around)] },
};

export function dialectOf(program: string): Dialect {
  return DIALECTS[basename(program)] ?? PLAIN;
}

function modelFlag({ context }: Surroundings): readonly string[] {
  const model = context.env['FILEPATH_MODEL'] ?? '';
  return model === '' ? [] : ['--model', model];
}

/** Qwen Code trusts no workspace, so that it runs nothing that a repository names, and reads nothing of it by itself. */
function rulesFlag({ cwd }: Surroundings): readonly string[] {
  const rules = houseRules(cwd, ['QWEN.md', 'AGENTS.md']);
  return rules === null ? [] : ['--append-system-prompt', rules];
}
