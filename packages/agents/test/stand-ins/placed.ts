import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CATALOG } from '@filepath/protocol';
import { tempDir } from '@filepath/testkit';
import { AgentProcess } from '../agent-process.ts';

const HERE = dirname(fileURLToPath(import.meta.url));

/** Programs that cannot run here, by the type of their agent. */
const PROGRAMS: Record<string, string> = { cursor: 'cursor-agent', amp: 'amp' };

/** Puts the program that stands for the CLI of this type into the folder. */
export function placeStandIn(type: string, folder: string): void {
  const name = PROGRAMS[type] ?? '';
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(HERE, `${name}.mjs`), join(folder, name));
  chmodSync(join(folder, name), 0o755);
}

/** An agent of this type whose CLI is the stand-in. */
export function placed(type: string, env: Record<string, string> = {}) {
  const entry = CATALOG.find((one) => one.type === type);
  if (!entry) throw new Error(`there is no ${type}`);
  const room = tempDir('filepath-stand-in');
  const [workspace, home] = ['workspace', 'home'].map((name) => {
    const path = join(room.path, name);
    mkdirSync(path);
    return path;
  }) as [string, string];
  placeStandIn(type, join(room.path, 'bin'));
  const agent = new AgentProcess({
    entry,
    cwd: workspace,
    env: {
      PATH: `${join(room.path, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: home,
      FILEPATH_MODEL: '',
      FILEPATH_API_KEY: 'fpk_stand_in',
      FILEPATH_BASE_URL: 'http://127.0.0.1:9',
      ...env,
    },
  });
  return { agent, home, [Symbol.dispose]: () => room.remove() };
}
