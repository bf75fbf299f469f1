import { freePort, tempDir } from '@filepath/testkit';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { percentile, wallMs } from './statistics.ts';

/** From `npm start` to the first page, with everything installed and built. */
export async function warmStarts(root: string, times: number): Promise<number> {
  using home = tempDir('filepath-home');
  const out: number[] = [];
  for (let i = 0; i < times + 1; i += 1) {
    const port = await freePort();
    const started = wallMs();
    const child = spawn('npm', ['start', '--silent'], {
      cwd: root,
      env: { ...process.env, FILEPATH_HOME: home.path, FILEPATH_PORT: String(port) },
      stdio: 'ignore',
      detached: true,
    });
    const exited = once(child, 'exit');
    while (!(await answers(`http://127.0.0.1:${port}/`))) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    // The first one makes the home; the warm ones follow.
    if (i > 0) out.push(wallMs() - started);
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    await exited;
  }
  return percentile(out, 50);
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
