// Runs a script with the repository's Node: node scripts/with-node.mjs SCRIPT [ARGUMENT …]
import { environment, findNode, NODE_TOO_OLD } from './node24.mjs';
import { foreground } from './run.mjs';

const node = findNode();
if (node === null) {
  console.error(NODE_TOO_OLD);
  process.exit(1);
}
process.exit(await foreground(node, process.argv.slice(2), { env: environment() }));
