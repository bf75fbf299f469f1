import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** As codex itself: in this order, and no more of it. */
const NAMES = ['AGENTS.override.md', 'AGENTS.md'];
const MOST = 32 * 1024;

/** What the repository tells agents. codex reads it by itself only together with the repository's settings. */
export function houseRules(cwd: string, names: readonly string[] = NAMES): string | null {
  for (const name of names) {
    const text = headOf(join(cwd, name));
    if (text === null || text.trim() === '') continue;
    return `# Instructions of this repository, from its ${name}\n\n${text}`;
  }
  return null;
}

function headOf(path: string): string | null {
  try {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(MOST);
      return buffer.subarray(0, readSync(file, buffer)).toString();
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
