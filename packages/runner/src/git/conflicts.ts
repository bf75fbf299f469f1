import { CONFLICT_FILES, type ConflictFile } from '@filepath/protocol';
import { Refusal } from '../executor/executor.ts';
import { sectionsOf } from './sections.ts';

const HUNKS = 20;
const HUNK_CHARACTERS = 4096;
/** Characters of all hunks: the result stands in the log. */
const ROOM = 48 * 1024;
const BLOCK = /^<{7} [^]*?^>{7} .*$/gm;

/** The files that could not be joined, as the script told them, and whether something is left out. Throws a Refusal. */
export function conflictsOf(bytes: Buffer): { files: ConflictFile[]; truncated: boolean } {
  const sections = sectionsOf(bytes);
  const files: ConflictFile[] = [];
  let room = ROOM;
  let truncated = sections.length > 2 * CONFLICT_FILES;
  for (let at = 0; at + 1 < sections.length && files.length < CONFLICT_FILES; at += 2) {
    const path = sections[at]?.bytes.toString('utf8').slice(0, 4096) ?? '';
    if (path === '') throw new Refusal('git named no file that is in conflict');
    const found = sections[at + 1]?.bytes.toString('utf8').match(BLOCK) ?? [];
    const hunks: string[] = [];
    for (const hunk of found.slice(0, HUNKS)) {
      const text = hunk.slice(0, Math.min(HUNK_CHARACTERS, room));
      truncated ||= text.length < hunk.length;
      room -= text.length;
      if (text !== '') hunks.push(text);
    }
    truncated ||= found.length > HUNKS;
    files.push({ path, hunks });
  }
  return { files, truncated };
}
