import { mkdirSync } from 'node:fs';
import { Child } from '../driver/child.ts';
import { converse } from '../driver/converse.ts';
import type { Driver } from '../driver/driver.ts';
import { programOf } from '../driver/install.ts';
import { programEnv } from '../driver/program-env.ts';
import type { Program, Surroundings } from '../driver/program.ts';
import { CodexProgram } from './program.ts';
import { codexArgs, codexEnv } from './settings.ts';

/** Codex, over its app-server. */
export const codex: Driver = (context) => converse(context, connect);

async function connect(surroundings: Surroundings): Promise<Program> {
  const { entry, env } = surroundings.context;
  if (entry.driver.kind !== 'codex') throw new Error(`${entry.name} is no entry of this driver`);
  const command = await programOf(entry, entry.driver.command, surroundings);
  const own = codexEnv(surroundings);
  // It refuses a home that is not there.
  mkdirSync(own['CODEX_HOME'] ?? '', { recursive: true });
  const child = new Child([...command, ...codexArgs(surroundings.context.env, surroundings.cwd)], {
    cwd: surroundings.cwd,
    signal: surroundings.signal,
    env: { ...programEnv(env), ...own },
  });
  const program = new CodexProgram(child, surroundings);
  try {
    await program.open();
    return program;
  } catch (error) {
    await program.close();
    throw error;
  }
}
