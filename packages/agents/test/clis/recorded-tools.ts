import { chmodSync, copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliOf } from './clis.ts';

const TEST = dirname(dirname(fileURLToPath(import.meta.url)));

/** Puts a recording among the tools of an instance, in the place of the CLI. Gives the variables of its agent. */
export function recordedTools(
  home: string,
  type: string,
  scenario: string,
): Record<string, string> {
  const tools = join(home, 'tools');
  mkdirSync(join(tools, 'bin'), { recursive: true });
  chmodSync(tools, 0o755);
  const program = join(tools, 'bin', cliOf(type).program);
  copyFileSync(join(TEST, 'replay/replay.mjs'), program);
  chmodSync(program, 0o755);
  cpSync(join(TEST, 'recorded', type, scenario), join(tools, 'recorded', type, scenario), {
    recursive: true,
  });
  return { CLI_REPLAY: `/opt/filepath/tools/recorded/${type}/${scenario}` };
}
