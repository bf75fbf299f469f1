// npm start: install what is missing, build what is stale, start. Plain JavaScript for Node 20.
import { staleSteps } from './build-steps.mjs';
import { ensureInstalled } from './install.mjs';
import { environment, findNode, NODE_TOO_OLD, root } from './node24.mjs';
import { foreground } from './run.mjs';
import { ensureBubblewrap } from './system-packages.mjs';

const args = process.argv.slice(2);

const problem = await ensureInstalled();
if (problem !== null) stop(problem);

const node = findNode();
if (node === null) stop(NODE_TOO_OLD);

if (args[0] === '--only-install') process.exit(0);

const env = environment();
const stale = staleSteps();
if (stale.length > 0) {
  console.log(`Building ${stale.join(', ')} …`);
  const code = await foreground(node, ['scripts/build.mjs', ...stale], { cwd: root, env });
  if (code !== 0) stop('The build failed; what is above says why.');
}

await ensureBubblewrap();
process.exit(
  await foreground(node, ['packages/cli/dist/filepath.js', 'up', ...args], { cwd: root, env }),
);

function stop(sentence) {
  console.error(sentence);
  process.exit(1);
}
