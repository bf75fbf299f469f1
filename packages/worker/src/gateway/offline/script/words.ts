import type { Scene } from './stage.ts';

export const INTRODUCTION =
  'This is offline/demo: a script that is built into filepath, not a language model.';

export const KEYS =
  'For answers of a real model set a key: in Settings on the page, or as ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY in the environment of filepath. Then choose the model for the agent.';

/** A text on one line, shortened. */
export function short(text: string, limit = 160): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** What became of a call, for a list of what was done. `fits` is how its result begins if it worked. */
export function became(scene: Scene, what: string, stage: string, fits: RegExp, at = 0): string[] {
  const result = scene.result(stage, at);
  if (!result) return [];
  const said = short(result.text);
  return !result.isError && fits.test(result.text)
    ? [`- ${what}: ${said}`]
    : [`- ${what}: this did not work, and I went on. The tool said: ${said}`];
}

/** A count with its word. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** What came while the script ran. */
export function heard({ round }: Scene): string {
  const later = round.messages.slice(1);
  if (later.length === 0) return '';
  return ` Meanwhile you wrote “${short(later.at(-1) ?? '')}”, which a script cannot act on.`;
}
