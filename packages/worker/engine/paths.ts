import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The build keeps `import.meta.url` of each source file, so this holds in packages/cli/dist as well. */
const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');

export const WORKER_DIST = join(root, 'packages/worker/dist');
export const WORKERD_WRAPPER = join(root, 'packages/worker/engine/workerd.sh');
