// packages/web/build: the page, as static files that the worker serves.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { environment, root } from '../node24.mjs';

export function buildWeb() {
  return new Promise((resolve, reject) => {
    const vite = spawn(
      process.execPath,
      [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'],
      { cwd: join(root, 'packages/web'), env: environment(), stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    vite.stdout.on('data', (chunk) => (output += chunk));
    vite.stderr.on('data', (chunk) => (output += chunk));
    vite.on('error', reject);
    vite.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`vite build ended with ${code}\n${output.slice(-10_000)}`));
    });
  });
}
