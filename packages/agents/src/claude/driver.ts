import { basename } from 'node:path';
import { Child } from '../driver/child.ts';
import { converse } from '../driver/converse.ts';
import type { Driver } from '../driver/driver.ts';
import { programOf } from '../driver/install.ts';
import { programEnv } from '../driver/program-env.ts';
import type { Program, Surroundings, TurnEnd } from '../driver/program.ts';
import { dialectOf } from './dialect.ts';
import { ClaudeProgram } from './program.ts';

/** Claude Code, and what speaks its stream-json. */
export const claude: Driver = (context) => converse(context, connect);

async function connect(surroundings: Surroundings): Promise<Program> {
  const { entry } = surroundings.context;
  if (entry.driver.kind !== 'claude') throw new Error(`${entry.name} is no entry of this driver`);
  const command = await programOf(entry, entry.driver.command, surroundings);
  const dialect = dialectOf(basename(entry.driver.command[0] ?? ''));
  const start = (resume: string | undefined): ClaudeProgram =>
    new ClaudeProgram(
      new Child([...command, ...dialect.args(surroundings, resume)], {
        cwd: surroundings.cwd,
        signal: surroundings.signal,
        env: { ...programEnv(surroundings.context.env), ...dialect.env(surroundings) },
      }),
      dialect,
      surroundings,
    );
  const resume = surroundings.kept.session;
  const program = start(resume);
  return resume === undefined
    ? program
    : new Resumed(program, () => start(undefined), surroundings);
}

/** A program that was told to resume a session. If that is not there any more, it begins a new one. */
class Resumed implements Program {
  #program: ClaudeProgram;
  #anew: () => ClaudeProgram;
  #with: Surroundings;

  constructor(program: ClaudeProgram, anew: () => ClaudeProgram, surroundings: Surroundings) {
    this.#program = program;
    this.#anew = anew;
    this.#with = surroundings;
  }

  readonly turn = async (text: string): Promise<TurnEnd> => {
    const first = this.#program;
    try {
      const end = await first.turn(text);
      if (first.began || end.how !== 'failed') return end;
    } catch (error) {
      if (first.began || this.#with.signal.aborted) throw error;
    }
    await first.close();
    this.#with.kept.session = undefined;
    this.#with.voice.log('warn', 'its last session could not be resumed: a new one begins');
    this.#program = this.#anew();
    return this.#program.turn(text);
  };
  readonly steer = (text: string): Promise<boolean> => this.#program.steer(text);
  readonly interrupt = (): Promise<void> => this.#program.interrupt();
  readonly gone = (): boolean => this.#program.gone();
  readonly busy = (): boolean => this.#program.busy();
  readonly close = (): Promise<void> => this.#program.close();
}
