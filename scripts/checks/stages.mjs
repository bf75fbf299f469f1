// The stages of npm test, in order. A check runs sequences of programs and counts as one test.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../node24.mjs';

const LEFT_OUT = new Set(['node_modules', '.svelte-kit', 'build', 'dist', '.git', '.wrangler']);

const tool = (path, ...args) => [process.execPath, join(root, 'node_modules', path), ...args];
const within = (cwd, command) => ({ command, cwd: join(root, cwd) });
const here = (command) => [within('.', command)];

/** The page's tsconfig extends one that this writes. */
const sync = within('packages/web', tool('@sveltejs/kit/svelte-kit.js', 'sync'));

export const stages = [
  {
    name: 'format',
    runs: () => [here(tool('prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.'))],
  },
  {
    name: 'lint',
    runs: () => [[sync, ...here(tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings'))]],
  },
  {
    name: 'boundaries',
    runs: () => [
      here(
        tool(
          'dependency-cruiser/bin/dependency-cruiser.mjs',
          '--config',
          '.dependency-cruiser.cjs',
          'packages',
          'gates',
          'e2e',
          'integration',
          'faults',
          'bench',
        ),
      ),
    ],
  },
  { name: 'unused', runs: () => [[sync, ...here(tool('knip/bin/knip.js'))]] },
  { name: 'types', runs: typeChecks },
  { name: 'build', runs: () => [here([process.execPath, 'scripts/build.mjs'])] },
  {
    name: 'deploy',
    needsBuild: true,
    runs: () => [
      [
        within(
          'packages/worker',
          tool('wrangler/bin/wrangler.js', 'deploy', '--dry-run', '--outdir', '.wrangler/dry-run'),
        ),
      ],
    ],
  },
  {
    name: 'unit',
    projects: [
      'protocol',
      'client',
      'web',
      'testkit',
      'worker',
      'loop',
      'agents',
      'cli',
      'scripts',
    ],
    needsBuild: true,
  },
  { name: 'runner', projects: ['runner'], needsBuild: true, needs: ['bubblewrap'] },
  {
    name: 'containers',
    projects: ['containers'],
    needsBuild: true,
    needs: ['podman'],
    onlyWhenAsked: true,
  },
  {
    name: 'clis',
    projects: ['clis'],
    needsBuild: true,
    needs: ['bubblewrap'],
    onlyWhenAsked: true,
  },
  { name: 'engine', projects: ['engine', 'gateway'], needs: ['bubblewrap'] },
  { name: 'workerd', projects: ['worker:workerd', 'worker:objects'] },
  {
    name: 'integration',
    projects: ['integration', 'gates'],
    needsBuild: true,
    needs: ['bubblewrap', 'chromium'],
  },
  { name: 'browser', projects: ['browser'], needsBuild: true, needs: ['bubblewrap', 'chromium'] },
  {
    name: 'faults',
    projects: ['faults'],
    needsBuild: true,
    needs: ['bubblewrap', 'chromium'],
    onlyWhenAsked: true,
  },
];

function typeChecks() {
  const compiler = tool('@typescript/native/bin/tsc', '-p');
  const configurations = findConfigurations('.').filter((path) => !path.startsWith('packages/web'));
  const page = [
    sync,
    within(
      'packages/web',
      tool('svelte-check/bin/svelte-check', '--threshold', 'warning', '--fail-on-warnings'),
    ),
    ...here([...compiler, 'packages/web/src/service-worker']),
  ];
  return [page, ...configurations.map((path) => here([...compiler, path]))];
}

function findConfigurations(directory) {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : findConfigurations(path);
    return entry.name === 'tsconfig.json' ? [path] : [];
  });
}
