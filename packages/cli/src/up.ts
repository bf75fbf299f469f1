import { parseArgs } from 'node:util';

import { homeOf } from './instance-file.ts';
import { startInstance, type Instance, type InstanceOptions } from './instance.ts';
import type { Io } from './io.ts';
import { countRunningAgents } from './running-agents.ts';
import { UsageError, withUsage } from './usage.ts';

const USAGE = `Usage: filepath up [--port PORT] [--host HOST] [--home DIRECTORY]

Starts filepath and prints a link that signs you in. Ctrl-C stops it; agents at work go on.
The same can be said by FILEPATH_PORT (4280), FILEPATH_HOST (127.0.0.1) and FILEPATH_HOME (~/.filepath).`;

const WORDS: Record<string, string> = { memory: 'memory', pids: 'processes', cpu: 'CPU time' };

type Place = Pick<InstanceOptions, 'home' | 'host' | 'port'>;

export async function up(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const place = readPlace(args, io.env);
    if (place === null) {
      io.out(USAGE);
      return 0;
    }
    const lost = Promise.withResolvers<'lost'>();
    const starting = startInstance({
      ...place,
      env: io.env,
      onProgress: (line) => io.out(line),
      onLost: () => lost.resolve('lost'),
    });
    // Ctrl-C reaches the engine too: what then fails is no news.
    const instance = await starting.catch((error: unknown) => {
      if (io.signal.aborted) return null;
      throw error;
    });
    if (instance === null) {
      io.out('Stopped.');
      return 0;
    }
    greet(instance, place, io);
    const end = await Promise.race([lost.promise, aborted(io.signal)]);
    if (end === 'lost') {
      await instance.stop();
      io.err(`The engine ended and does not come back; ${place.home}/engine.log says why.`);
      return 1;
    }
    io.out('Stopping …');
    await instance.stop();
    const running = countRunningAgents(place.home);
    io.out(
      running === 0
        ? 'Stopped.'
        : `Stopped. ${running === 1 ? 'One agent goes' : `${running} agents go`} on; the next start finds them.`,
    );
    return 0;
  });
}

function greet({ signInUrl, executors }: Instance, { home }: Place, io: Io): void {
  io.out('');
  io.out(`  Open ${signInUrl}`);
  io.out('');
  io.out(`  The link signs you in once; each start prints a new one. Data is in ${home}.`);
  io.out('  Ctrl-C stops filepath; agents at work go on.');
  if (!executors.some(({ available }) => available)) {
    const reason = executors.map(({ reason: why }) => why).find((why) => why !== undefined);
    io.out('');
    io.out(`  Agents are refused: ${reason ?? 'there is no sandbox on this machine'}`);
  }
  const unlimited = unlimitedIn(executors);
  if (unlimited !== '') {
    io.out('');
    io.out(
      `  Nothing limits an agent's ${unlimited} here: this user has no control groups for it.`,
    );
  }
  io.out('');
}

/** What agents can use up, as words. */
function unlimitedIn(executors: Instance['executors']): string {
  const limits = executors.find(({ available }) => available)?.limits ?? {};
  const missing = Object.entries(limits).filter(([, by]) => by === 'none');
  return missing.map(([name]) => WORDS[name] ?? name).join(' and ');
}

function readPlace(args: string[], env: Io['env']): Place | null {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', short: 'h' },
      port: { type: 'string' },
      host: { type: 'string' },
      home: { type: 'string' },
    },
  });
  if (values.help) return null;
  return {
    home: values.home ?? homeOf(env),
    host: values.host ?? (env['FILEPATH_HOST'] || '127.0.0.1'),
    port: readPort(values.port ?? (env['FILEPATH_PORT'] || '4280')),
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new UsageError(`"${text}" is not a port; give a number from 1 to 65535.`);
}

function aborted(signal: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('aborted');
    else signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
}
