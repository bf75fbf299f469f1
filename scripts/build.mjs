// Builds what is stale: node scripts/with-node.mjs scripts/build.mjs [worker] [agents] [cli] [web] [--force]
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { fingerprint, staleSteps, steps, writeStamp } from './build-steps.mjs';
import { buildAgents } from './builders/agents.mjs';
import { buildCli } from './builders/cli.mjs';
import { buildWeb } from './builders/web.mjs';
import { buildWorker } from './builders/worker.mjs';
import { root } from './node24.mjs';

const builders = { worker: buildWorker, agents: buildAgents, cli: buildCli, web: buildWeb };

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const unknown = asked.find((name) => !(name in steps));
if (unknown !== undefined) {
  console.error(
    `There is no build step "${unknown}"; the steps are ${Object.keys(steps).join(', ')}.`,
  );
  process.exit(2);
}
const names = asked.length === 0 ? Object.keys(steps) : asked;
const wanted = process.argv.includes('--force') ? names : staleSteps(names);

const results = await Promise.all(wanted.map(build));
process.exit(results.every(Boolean) ? 0 : 1);

async function build(name) {
  if (name === 'web' && !existsSync(join(root, 'packages/web/vite.config.ts'))) {
    console.log('build web: left out, packages/web has no vite.config.ts');
    return true;
  }
  const started = performance.now();
  const stamp = fingerprint(name);
  try {
    await builders[name]();
    writeStamp(name, stamp);
    console.log(`build ${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
    return true;
  } catch (error) {
    console.error(
      `build ${name} failed: ${error instanceof Error ? error.message : String(error)}`,
    );
    return false;
  }
}
