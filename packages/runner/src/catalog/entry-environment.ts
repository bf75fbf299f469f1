import type { AgentEntry, StartOrder } from '@filepath/protocol';
import { GATEWAY_URL } from '../egress/way-out.ts';

/** What stands for what in an entry's variables and files. */
export type Words = { baseUrl: string; apiKey: string; model: string };

export const wordsOf = ({ apiKey, model }: StartOrder): Words => ({
  baseUrl: GATEWAY_URL,
  apiKey,
  model,
});

/** In one go: what a word stands for is not looked at again. */
export function fill(text: string, words: Words): string {
  return text.replace(/\{(baseUrl|apiKey|model)\}/g, (_all, name: keyof Words) => words[name]);
}

/** Variables of an agent that filepath's own program speaks for. None where it speaks for itself. */
export function entryEnvironment(entry: AgentEntry, order: StartOrder): [string, string][] {
  const words = wordsOf(order);
  const own = Object.entries(entry.env ?? {}).map(([name, text]): [string, string] => [
    name,
    fill(text, words),
  ]);
  if (entry.driver.kind === 'custom') return own;
  // The program gets its variables and files from the runner, and has no use for how they are made.
  const { env: _env, files: _files, ...told } = entry;
  return [...own, ['FILEPATH_AGENT', JSON.stringify(told)]];
}
