import { type AgentEntry, FilepathError } from '@filepath/protocol';
import { programOf } from './known.ts';
import { homeOf } from '../instance-file.ts';
import type { Io } from '../io.ts';

/** Puts the program of an agent among the tools of all agents, and tries it. */
export async function installAgent(entry: AgentEntry, io: Io): Promise<void> {
  const { driver, install, name, type } = entry;
  const program = programOf(driver);
  if (program === null) {
    throw new FilepathError('conflict', `${name} needs no installation.`);
  }
  if (install === undefined) {
    throw new FilepathError('conflict', `The catalog does not say where ${name} comes from.`);
  }
  if (install.from === 'person') throw new FilepathError('conflict', `${install.hint}.`);
  const { installTool, Refusal, toolVersion } = await import('@filepath/runner');
  const context = {
    home: homeOf(io.env),
    env: io.env,
    tell: (line: string) => io.err(line),
    signal: io.signal,
  };
  try {
    io.err(`installing ${install.package}@${install.version}`);
    await installTool(install, context);
    const version = await toolVersion(program, context);
    io.out(`${type} is installed: ${program} ${version}`);
  } catch (error) {
    if (error instanceof Refusal) throw new FilepathError('conflict', error.message);
    throw error;
  }
}
