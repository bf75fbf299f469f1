// Records the traffic of a real CLI: node packages/agents/test/record.ts TYPE FOLDER-OF-THE-CLI [SCENARIO…]
// FOLDER-OF-THE-CLI is the prefix of an npm install of the version in the catalog.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { git, startModelServer, tempDir } from '@filepath/testkit';
import { AgentProcess } from './agent-process.ts';
import { LONG, type Scenario } from './clis/scenarios.ts';
import { scenariosOf } from './of-one.ts';
import { cliOf, withTools } from './clis/clis.ts';
import { Scrubber } from './replay/scrub.ts';

const HERE = dirname(fileURLToPath(import.meta.url));

const [type = '', prefix = '', ...names] = process.argv.slice(2);
const wanted = scenariosOf(type).filter(({ name }) => names.length === 0 || names.includes(name));
for (const scenario of wanted) await record(scenario);

async function record(scenario: Scenario): Promise<void> {
  const { entry, program, hands, model, env, mainLine = withTools } = cliOf(type);
  using home = tempDir('filepath-record-home');
  using workspace = tempDir('filepath-record-workspace');
  using bin = tempDir('filepath-record-bin');
  using taken = tempDir('filepath-record');
  git(workspace.path, 'init', '-q');
  symlinkSync(join(HERE, 'replay/recorder.mjs'), join(bin.path, program));
  const script = scenario.script(hands, workspace.path);
  const server = await startModelServer({ script, otherwise: { text: 'ok' }, mainLine });
  const agent = new AgentProcess({
    entry,
    cwd: workspace.path,
    env: {
      PATH: `${bin.path}:${process.env['PATH'] ?? ''}`,
      HOME: home.path,
      FILEPATH_MODEL: model,
      FILEPATH_BASE_URL: server.url,
      FILEPATH_API_KEY: 'fpk_recorded',
      FILEPATH_PERMISSIONS: scenario.permissions ?? 'allow',
      CLI_RECORD: taken.path,
      CLI_RECORDED: resolve(prefix, 'bin', program),
      ...env(server.url, 'fpk_recorded'),
    },
  });
  try {
    await scenario.play(agent);
    await agent.end();
    scenario.asked?.(server.calls.map(({ request }) => request).filter(mainLine));
  } finally {
    await server.close();
  }
  const folder = join(HERE, 'recorded', type, scenario.name);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (isRecording(name)) rmSync(join(folder, name));
  const scrubber = new Scrubber({
    [workspace.path]: '/workspace',
    [workspace.path.replaceAll('/', '-')]: '-workspace',
    [home.path]: '/home/agent',
    [server.url]: 'http://127.0.0.1:4281/gateway',
    [process.execPath]: '/opt/filepath/node',
    [join(HERE, '../src/main.ts')]: '/opt/filepath/agent',
    fpk_recorded: '<key-1>',
  });
  const files = readdirSync(taken.path).filter(isRecording);
  for (const [at, name] of files.sort().entries()) {
    const text = scrubber.scrub(readFileSync(join(taken.path, name), 'utf8'));
    writeFileSync(join(folder, name), at === files.length - 1 ? text : untilKilled(text));
  }
  process.stdout.write(`recorded ${type} ${scenario.name}\n`);
}

function isRecording(name: string): boolean {
  return name.endsWith('.jsonl');
}

/** It is killed in its long command: nothing that it said later is sure to be heard. */
function untilKilled(text: string): string {
  const lines = text.split('\n');
  const last = lines.findLastIndex((line) => line.includes(LONG));
  return lines
    .slice(0, last + 1)
    .map((line) => `${line}\n`)
    .join('');
}
