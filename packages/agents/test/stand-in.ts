import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AgentEntry, CATALOG } from '@filepath/protocol';
import { tempDir } from '@filepath/testkit';
import { AgentProcess } from './agent-process.ts';

/** An agent whose CLI is the script of a test, in Node's words. `say(value)` prints a line; `inputs` are the lines it gets. */
export function standIn(
  scripts: Record<string, string>,
  options: { type?: string; entry?: Partial<AgentEntry>; env?: Record<string, string> } = {},
) {
  const { type = 'claude-code', env = {} } = options;
  const room = tempDir('filepath-stand-in');
  const place = (name: string): string => join(room.path, name);
  for (const name of ['workspace', 'home', 'bin']) mkdirSync(place(name));
  for (const [name, script] of Object.entries(scripts)) {
    const path = join(place('bin'), name);
    writeFileSync(path, `#!${process.execPath}\n${PRELUDE}${script}`);
    chmodSync(path, 0o755);
  }
  const entry = CATALOG.find((one) => one.type === type);
  if (!entry) throw new Error(`there is no ${type}`);
  const agent = new AgentProcess({
    entry: { ...entry, ...options.entry },
    cwd: place('workspace'),
    env: {
      PATH: `${place('bin')}:${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: place('home'),
      FILEPATH_MODEL: 'scripted',
      FILEPATH_BASE_URL: 'http://127.0.0.1:9',
      FILEPATH_API_KEY: 'fpk_stand_in',
      ...env,
    },
  });
  return {
    agent,
    home: place('home'),
    workspace: place('workspace'),
    [Symbol.dispose]: () => room.remove(),
  };
}

const PRELUDE = `
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
const state = (state) => say({ type: 'system', subtype: 'session_state_changed', state });
const init = (session_id) => say({ type: 'system', subtype: 'init', session_id });
const tool = (id, command) => say({ type: 'assistant', message: { id: 'm' + id, content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }] } });
const text = (words) => say({ type: 'assistant', message: { id: 'm' + words.length, content: [{ type: 'text', text: words }] } });
const result = (more) => say({ type: 'result', subtype: 'success', is_error: false, ...more });
const lines = require('node:readline').createInterface({ input: process.stdin });
const each = (take) => lines.on('line', (line) => take(JSON.parse(line)));
`;
