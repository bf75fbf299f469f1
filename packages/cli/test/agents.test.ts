import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentEntry, CATALOG } from '@filepath/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agents } from '../src/commands/agents.ts';
import { recordedIo } from './io.ts';
import { registryWith } from './registry.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'filepath-agents-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const io = (env: NodeJS.ProcessEnv = {}) =>
  recordedIo('', { PATH: process.env['PATH'], FILEPATH_HOME: join(home, 'h'), ...env });

function addEntry(entry: object, file = 'tool.json'): void {
  mkdirSync(join(home, 'h/catalog'), { recursive: true });
  const own = {
    type: 'tool',
    name: 'Tool',
    description: 'A tool.',
    icon: 'box',
    defaultModel: '',
    driver: { kind: 'acp', command: ['tool', 'acp'] },
    metered: true,
    ...entry,
  };
  writeFileSync(join(home, 'h/catalog', file), JSON.stringify(own));
}

describe('filepath agents list', () => {
  it('[CAT6] has a line for each kind of agent, and says where its program is', async () => {
    addEntry({});
    mkdirSync(join(home, 'h/tools/bin'), { recursive: true });
    writeFileSync(join(home, 'h/tools/bin/tool'), '', { mode: 0o755 });
    const said = io();
    expect(await agents(['list'], said)).toBe(0);
    expect(said.said).toHaveLength(CATALOG.length + 2);
    expect(said.said.find((line) => line.startsWith('tool '))).toContain("filepath's tools");
    expect(said.said.find((line) => line.startsWith('shelley'))).toMatch(/metered +built in/);
    expect(said.said.find((line) => line.startsWith('cursor'))).toContain('unmetered');
  });

  it('[CAT2] names a file that it leaves out, and why', async () => {
    addEntry({ metered: 'no' });
    addEntry({ type: 'codex' }, 'codex.json');
    addEntry({ type: 'fine', files: { '.config/a.json': '{}' } }, 'fine.json');
    addEntry({ type: 'up', files: { '../a': '' } }, 'up.json');
    const said = io();
    expect(await agents(['list', '--json'], said)).toBe(0);
    expect(said.errors.map((line) => line.replace(/^.*\/(?=\w+\.json is)/, ''))).toEqual([
      expect.stringMatching(/^codex\.json is left out: codex is an agent of filepath's own/),
      expect.stringMatching(/^tool\.json is left out: metered: /),
      expect.stringMatching(/^up\.json is left out: files/),
    ]);
    expect(said.said.join('')).toContain('"fine"');
  });
});

/** npm itself takes its time on a busy machine. */
describe('filepath agents install', { timeout: 120_000 }, () => {
  const manifest = { name: '@own/tool', version: '1.2.3', bin: { tool: 'tool.js' } };
  const tool = "#!/usr/bin/env node\nconsole.log(require('./made.json').version);\n";
  const made = '{"version":"tool 1.2.3"}';
  const install = { from: 'npm', package: '@own/tool', version: '1.2.3' };

  it('[CAT6] puts the pinned version among the tools, and no script of it runs on this machine', async () => {
    const postinstall = `touch ${home}/ran`;
    await using registry = await registryWith(
      { ...manifest, scripts: { postinstall } },
      { 'tool.js': tool, 'made.json': made },
    );
    addEntry({ install });
    const said = io({ npm_config_registry: registry.url });
    expect(await agents(['install', 'tool'], said), said.errors.join('\n')).toBe(0);
    expect(said.said).toEqual(['tool is installed: tool tool 1.2.3']);
    expect(existsSync(join(home, 'ran'))).toBe(false);
  });

  it('[CAT6] runs scripts that a program needs in a sandbox: nothing of this machine is there', async () => {
    const script = `const fs = require('fs');
      fs.writeFileSync('made.json', JSON.stringify({ version: 'made ' + fs.existsSync('${home}') }));`;
    await using registry = await registryWith(
      { ...manifest, scripts: { postinstall: 'node make.js' } },
      { 'tool.js': tool, 'make.js': script },
    );
    addEntry({ install: { ...install, scripts: true } });
    const said = io({ npm_config_registry: registry.url });
    expect(await agents(['install', 'tool'], said), said.errors.join('\n')).toBe(0);
    expect(said.said).toEqual(['tool is installed: tool made false']);
  });

  it.each([
    ['shelley', 1, /Shelley needs no installation/],
    ['cursor', 1, /not on npm/],
    ['nobody', 2, /There is no agent nobody; there are shelley/],
    ['tool', 1, /npm could not install @own\/tool@1\.2\.3/],
  ])('[CAT6] says of %s why not', async (type, status, words) => {
    await using registry = await registryWith({ name: 'other', version: '1.0.0' }, {});
    addEntry({ install });
    const said = io({ npm_config_registry: registry.url, npm_config_fetch_retries: '0' });
    expect(await agents(['install', type], said)).toBe(status);
    expect(said.errors.join('\n')).toMatch(words);
  });
});

describe('filepath agents new', () => {
  it('[CAT7] makes the folder of an agent with a valid entry, and overwrites nothing', async () => {
    const folder = join(home, 'mine');
    expect(await agents(['new', folder], io())).toBe(0);
    const entry = AgentEntry.parse(JSON.parse(readFileSync(join(folder, 'my-agent.json'), 'utf8')));
    expect(entry.driver).toEqual({ kind: 'custom', command: ['my-agent'] });
    const said = io();
    expect(await agents(['new', folder], said)).toBe(1);
    expect(said.errors[0]).toMatch(/is there already/);
  });

  it('[CLI6] refuses what it does not know', async () => {
    for (const args of [['dance'], ['install'], ['new'], ['list', 'all']]) {
      expect(await agents(args, io()), args.join(' ')).toBe(2);
    }
  });
});
