import { homedir } from 'node:os';
import { Decisions } from './decisions.ts';
import type { DriverContext } from './driver.ts';
import { Journal } from './journal.ts';
import { isFresh } from './fresh.ts';
import { Kept } from './kept.ts';
import type { Surroundings } from './program.ts';
import { Voice } from './voice.ts';

type Rest = Pick<Surroundings, 'signal' | 'heard' | 'adopt'>;

export function surround(context: DriverContext, rest: Rest): Surroundings {
  const { env, entry, emit } = context;
  const journal = new Journal();
  const voice = new Voice(emit, journal);
  const home = env['HOME'] ?? homedir();
  return {
    context,
    cwd: process.cwd(),
    home,
    voice,
    journal,
    decisions: new Decisions(voice),
    kept: new Kept(home, entry.type, { fresh: isFresh(env) }),
    permissions: env['FILEPATH_PERMISSIONS'] === 'ask' ? 'ask' : 'allow',
    ...rest,
  };
}
