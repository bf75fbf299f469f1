import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { endAgents } from './agents-of-home.ts';
import { freePort } from './free-port.ts';
import { tempDir } from './temp.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CLI = join(ROOT, 'packages/cli/dist/filepath.js');
export const OWNER_TOKEN = 'owner-token-of-a-test-0123456789abcdef';

export type Instance = {
  readonly url: string;
  readonly home: string;
  readonly port: number;
  readonly token: string;
  /** The sign-in URL that the last start printed. */
  readonly signInUrl: string;
  /** The process that runs engine and runner. */
  readonly pid: number;
  enginePid(): number;
  /** SIGKILL of the process; what it leaves behind is left. */
  killProcess(): Promise<void>;
  /** SIGKILL of workerd alone; resolves when the engine that takes its place answers. */
  killEngine(): Promise<void>;
  start(): Promise<void>;
  /** As Ctrl-C does it. Gives the exit code back. */
  stop(): Promise<number | null>;
  /** Stops and removes the home. */
  [Symbol.asyncDispose](): Promise<void>;
};

/** How a person starts it, and what that comes down to when everything is installed and built. */
const NPM_START = ['npm', 'start', '--silent'];
const UP = [process.execPath, CLI, 'up'];

/** The real program on a port of its own, and on a home of its own unless one is given. */
export async function startInstance(
  env: Record<string, string> = {},
  { throughNpm = false, home }: { throughNpm?: boolean; home?: string } = {},
): Promise<Instance> {
  const dir =
    home === undefined ? tempDir('filepath-home') : { path: home, remove: () => undefined };
  const port = await freePort();
  let child: ChildProcess | null = null;
  let signInUrl = '';

  const start = async (): Promise<void> => {
    const [program = '', ...args] = throughNpm ? NPM_START : UP;
    const started = spawn(program, args, {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: dir.path,
        FILEPATH_HOME: dir.path,
        FILEPATH_PORT: String(port),
        FILEPATH_TOKEN: OWNER_TOKEN,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    signInUrl = await printedUrl(started);
  };
  await start();

  const running = (): ChildProcess => {
    if (!child) throw new Error('the instance is not running');
    return child;
  };
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const process = child;
    child = null;
    if (!process) return null;
    if (process.exitCode !== null || process.signalCode !== null) return process.exitCode;
    const exited = once(process, 'exit');
    process.kill(signal);
    await exited;
    return process.exitCode;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    home: dir.path,
    port,
    token: OWNER_TOKEN,
    get signInUrl() {
      return signInUrl;
    },
    get pid() {
      return running().pid ?? -1;
    },
    enginePid: () => enginePid(dir.path),
    killProcess: async () => {
      await end('SIGKILL');
    },
    killEngine: async () => {
      const killed = enginePid(dir.path);
      process.kill(killed, 'SIGKILL');
      while (!(await answers(`http://127.0.0.1:${port}/api/health`))) await wait(20);
    },
    start,
    stop: () => end('SIGINT'),
    [Symbol.asyncDispose]: async () => {
      await end('SIGINT');
      endAgents(dir.path);
      dir.remove();
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { headers: { connection: 'close' } })).ok;
  } catch {
    return false;
  }
}

function enginePid(home: string): number {
  const file: unknown = JSON.parse(readFileSync(join(home, 'engine.json'), 'utf8'));
  const pid: unknown = typeof file === 'object' && file !== null ? Reflect.get(file, 'pid') : null;
  if (typeof pid !== 'number') throw new Error('engine.json has no pid');
  return pid;
}

/** Waits for the line that says where to open; what the process printed is part of the error if it never comes. */
async function printedUrl(child: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /https?:\/\/\S+token=\S+/.exec(output);
      if (found) resolve(found[0]);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    // Not at its exit: what it printed may still be on its way then.
    child.once('close', (code) => reject(new Error(`filepath up ended with ${code}:\n${output}`)));
  });
}
