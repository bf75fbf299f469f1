// npm run gates: one test file per story, run against the real system, as a table of all stories.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { environment, root } from './node24.mjs';
import { ensureBubblewrap, ensureChromium } from './system-packages.mjs';

const stories = JSON.parse(readFileSync(join(root, 'gates/stories.json'), 'utf8'));
const files = readdirSync(join(root, 'gates')).filter((name) => name.endsWith('.gate.test.ts'));

const build = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
if (build.status !== 0) process.exit(1);

await ensureBubblewrap();
const chromium = await ensureChromium();
if (chromium !== null) process.env.CHROME_PATH = chromium;
const outcomes = run();
let failed = 0;
for (const { id, title } of stories) {
  const file = files.find((name) => name.startsWith(`${id}-`));
  const outcome = file === undefined ? 'not built' : (outcomes.get(file) ?? 'fail');
  if (outcome === 'fail') failed += 1;
  console.log(`${id.padEnd(5)} ${outcome.padEnd(10)} ${title}`);
}
const built = files.length;
console.log(
  `\n${stories.length} stories: ${built - failed} pass, ${failed} fail, ${stories.length - built} not built`,
);
process.exitCode = failed === 0 ? 0 : 1;

function run() {
  const scratch = mkdtempSync(join(tmpdir(), 'filepath-gates-'));
  const report = join(scratch, 'report.json');
  try {
    spawnSync(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project=gates',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
      ],
      { cwd: root, env: environment(), stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return new Map(testResults.map(outcomeOf));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function outcomeOf({ name, status, assertionResults }) {
  const passed =
    status === 'passed' &&
    assertionResults.length > 0 &&
    assertionResults.every((test) => test.status === 'passed');
  return [basename(name), passed ? 'pass' : 'fail'];
}
