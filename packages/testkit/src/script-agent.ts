import { readFileSync } from 'node:fs';

/** Script agents in POSIX sh, one file each in `agents/`. */
export const SCRIPT_AGENTS = [
  'all-events',
  'asker',
  'caller',
  'crash',
  'garbage',
  'obedient',
  'stream',
  'stubborn',
  'ten-lines',
] as const;
export type ScriptAgent = (typeof SCRIPT_AGENTS)[number];

/** The config of a `custom` agent whose script is in its command line, so that no file is mounted for it. */
export function scriptAgent(name: ScriptAgent, ...args: string[]): { command: string[] } {
  const script = readFileSync(new URL(`agents/${name}.sh`, import.meta.url), 'utf8');
  return { command: ['sh', '-c', script, name, ...args] };
}
