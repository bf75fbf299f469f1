import { basename, dirname } from 'node:path';
import { RunDir } from '../home.ts';
import { runShim } from './shim.ts';

/**
 * The agent's parent where it runs in a container: a small program that outlives the runner. Arguments: the shim's
 * name, the run directory.
 */
const path = process.argv[3] ?? '';
process.umask(0o077);
process.chdir(path);
const run = new RunDir(dirname(dirname(path)), Number(basename(path)));
await runShim(run);
process.exit(0);
