#!/usr/bin/env node
// Runs the built command line with the repository's Node.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { environment, findNode, NODE_TOO_OLD, root } from '../../../scripts/node24.mjs';
import { foreground } from '../../../scripts/run.mjs';

const built = join(root, 'packages/cli/dist/filepath.js');
const node = findNode();
if (node === null || !existsSync(built)) {
  console.error(
    node === null
      ? NODE_TOO_OLD
      : `filepath is not built; run npm start or npm run build in ${root} first.`,
  );
  process.exit(1);
}
process.exit(await foreground(node, [built, ...process.argv.slice(2)], { env: environment() }));
