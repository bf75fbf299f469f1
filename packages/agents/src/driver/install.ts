import { join } from 'node:path';
import type { AgentEntry, AgentInstall } from '@filepath/protocol';
import { Child, exitReason } from './child.ts';
import { cutMiddle, KEPT_OUTPUT } from './caps.ts';
import { locate } from './locate.ts';
import type { Surroundings } from './program.ts';

const INSTALL = 'install';
const CANCEL = 'cancel';

type Npm = Extract<AgentInstall, { from: 'npm' }>;
type From = Pick<Surroundings, 'context' | 'voice' | 'decisions' | 'home' | 'signal' | 'heard'>;

/** The command that starts the entry's program. If the program is missing, a person is asked whether to install it. */
export async function programOf(
  entry: AgentEntry,
  command: readonly string[],
  from: From,
): Promise<string[]> {
  const [name = '', ...args] = command;
  const { env } = from.context;
  const found = locate(name, env['PATH']);
  if (found !== null) return [found, ...args];
  const { install } = entry;
  if (!install) throw new Error(`${entry.name}: the program ${name} is not on the PATH`);
  if (install.from === 'person') {
    throw new Error(`${entry.name}: ${name} is not installed. ${install.hint}`);
  }
  await offer(entry, install, from);
  const installed = locate(name, `${join(from.home, '.local/bin')}:${env['PATH'] ?? ''}`);
  if (installed === null) {
    throw new Error(`${install.package}@${install.version} was installed, and brought no ${name}`);
  }
  return [installed, ...args];
}

async function offer(entry: AgentEntry, install: Npm, from: From): Promise<void> {
  const name = `${install.package}@${install.version}`;
  const prompt = `${entry.name} is not installed: install ${name} with npm into this agent's home?`;
  const choice = await from.decisions.ask({ prompt, options: [INSTALL, CANCEL], subject: install });
  if (choice !== INSTALL) throw new Error(`${entry.name} is not installed (${name})`);
  const npm = locate('npm', from.context.env['PATH']);
  if (npm === null) {
    throw new Error(
      `npm is not on the PATH, so that ${name} cannot be installed here. Install it once for all agents with: filepath agents install ${entry.type}`,
    );
  }
  await runNpm(npm, name, from);
}

async function runNpm(npm: string, name: string, from: From): Promise<void> {
  const prefix = join(from.home, '.local');
  const args = ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', name];
  const cmd = ['npm', ...args].join(' ');
  const id = `install-${name}`.slice(0, 128);
  from.voice.status('running', { reason: `installing ${name}` });
  from.voice.say({ type: 'command', cmd, status: 'start', id });
  const { env } = from.context;
  const child = new Child([npm, ...args], { env, cwd: from.home, signal: from.signal });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    from.heard();
    stdout = cutMiddle(stdout + text, KEPT_OUTPUT);
  });
  const exit = await child.exited;
  const well = exit.code === 0;
  from.voice.say({
    type: 'command',
    cmd,
    status: well ? 'done' : 'error',
    id,
    ...(exit.code === null ? {} : { exit: exit.code }),
    stdout,
    stderr: child.stderr,
  });
  if (!well) throw new Error(exitReason(`the installation of ${name}`, exit, child.stderr));
}
