// Runs projects of vitest.config.ts and counts what they found.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { environment, root } from '../node24.mjs';
import { foreground } from '../run.mjs';

/** A project without tests counts as a failure, and so does a test that was skipped. */
export async function runVitest(projects, files = []) {
  const scratch = mkdtempSync(join(tmpdir(), 'filepath-counts-'));
  const counts = join(scratch, 'counts.json');
  try {
    const code = await foreground(
      process.execPath,
      [
        join(root, 'node_modules/vitest/vitest.mjs'),
        'run',
        ...files,
        ...projects.map((project) => `--project=${project}`),
        '--reporter=default',
        `--reporter=${join(root, 'scripts/checks/reporter.mjs')}`,
      ],
      { cwd: root, env: { ...environment(), FILEPATH_COUNTS: counts } },
    );
    return summarize(projects, read(counts), code);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { projects: {}, unhandledErrors: 0 };
  }
}

function summarize(projects, { projects: counted, unhandledErrors }, code) {
  let passed = 0;
  let failed = unhandledErrors;
  const messages = unhandledErrors > 0 ? [`${unhandledErrors} errors outside of any test`] : [];
  for (const project of projects) {
    const counts = counted[project] ?? { passed: 0, failed: 0, messages: [] };
    passed += counts.passed;
    failed += counts.failed;
    messages.push(...counts.messages);
    if (counts.passed + counts.failed === 0) {
      failed += 1;
      messages.push(`no test of the project ${project} ran`);
    }
  }
  if (code !== 0 && failed === 0) {
    failed += 1;
    messages.push(`vitest ended with ${code}`);
  }
  return { passed, failed, messages };
}
