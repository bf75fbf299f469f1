import { join } from 'node:path';
import type { AgentEntry } from '@filepath/protocol';
import { type Place, Refusal } from '../executor/executor.ts';
import { isDiskFull } from '../files.ts';
import { reasonOf } from '../log.ts';
import { writeBeneath } from '../write-beneath.ts';
import { fill, type Words } from './entry-environment.ts';

/** Puts the entry's files into the agent's home, in place of what is there. Repeatable. Throws a Refusal. */
export function writeEntryFiles(entry: AgentEntry, { dir, uid }: Place, words: Words): void {
  for (const [path, text] of Object.entries(entry.files ?? {})) {
    try {
      writeBeneath(join(dir, 'home'), path.split('/'), Buffer.from(fill(text, words)), uid);
    } catch (error) {
      if (isDiskFull(error)) throw error;
      throw new Refusal(
        `${entry.name} needs the file ${path} in its home, which cannot be written: ${reasonOf(error)}`,
      );
    }
  }
}
