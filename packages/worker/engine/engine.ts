import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import type { Miniflare, MiniflareOptions } from 'miniflare';

import { endLeftOverEngine, engineFile, runningEngine } from './engine-file.ts';
import { EngineError } from './errors.ts';
import { startExtensionHost } from './extension-host.ts';
import { HomeLog } from './home-log.ts';
import { keepSmall } from './housekeeping.ts';
import { miniflareOptions } from './miniflare-options.ts';
import { explain, loadMiniflare } from './miniflare.ts';
import { WORKER_DIST, WORKERD_WRAPPER } from './paths.ts';
import { assertPortFree } from './port.ts';
import { readMigrations, readPrepared } from './prepared.ts';
import { answersInTime, askSetup } from './private-socket.ts';
import { usageOf } from './process-identity.ts';
import { SETUP_WORKER } from './setup-worker.ts';
import { makeSocketDirectory } from './sockets.ts';
import { watch } from './watchdog.ts';

export type EngineOptions = {
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly bindings: Readonly<Record<string, string>>;
  /** Called once when workerd ended and cannot be brought back. */
  readonly onExit?: () => void;
  /** How often workerd is asked whether it still answers, and how long it may take. */
  readonly probe?: { readonly everyMs: number; readonly timeoutMs: number };
  /** How often it is looked at whether workerd is at rest and has grown. */
  readonly restMs?: number;
  /** The built worker; that of this repository unless told. */
  readonly dist?: string;
};

export type Engine = {
  readonly url: string;
  /** workerd's process, null while there is none. */
  pid(): number | null;
  stop(): Promise<void>;
};

const RESTARTS = 5;
const PROBE = { everyMs: 15_000, timeoutMs: 30_000 };
/** Longer than the ten seconds for which workerd keeps an object that nobody asks. */
const REST_MS = 15_000;

/** Starts workerd with the built worker. The caller holds the home's lock. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { home, dist = WORKER_DIST, probe = PROBE, restMs = REST_MS } = options;
  const prepared = readPrepared(dist);
  const migrations = readMigrations(dist);
  await endLeftOverEngine(home);
  await assertPortFree(options.host, options.port);
  const sockets = makeSocketDirectory(home);
  const log = new HomeLog(home, 'engine.log');
  const extensionHost = await startExtensionHost({ home, dist, sockets });
  process.env['MINIFLARE_WORKERD_PATH'] = WORKERD_WRAPPER;
  const { Miniflare, Log, LogLevel } = loadMiniflare();

  let stopping = false;
  let restarting: Promise<void> | null = null;

  /** Miniflare says here, and nowhere else, that it could not restart workerd. */
  class RuntimeLog extends Log {
    override error(error: Error): void {
      log.write(String(error.stack ?? error));
      if (started && !stopping) restarting ??= restart().finally(() => (restarting = null));
    }
    override log(message: string): void {
      log.write(message);
    }
  }

  const miniflareSetting: MiniflareOptions = {
    ...miniflareOptions({
      ...options,
      dist,
      sockets,
      prepared,
      readOutput: (stream) => log.read(stream),
    }),
    log: new RuntimeLog(LogLevel.ERROR),
  };

  let started = false;
  const miniflare: Miniflare = new Miniflare(miniflareSetting);

  const restart = async (): Promise<void> => {
    if (await isReady(miniflare)) return;
    for (let attempt = 1; attempt <= RESTARTS && !stopping; attempt += 1) {
      await delay(200 * attempt);
      try {
        await miniflare.setOptions(miniflareSetting);
        return;
      } catch (error) {
        log.write(`Restart ${attempt} of workerd failed: ${explain(error)}`);
      }
    }
    if (!stopping) options.onExit?.();
  };

  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopped ??= end());
  const end = async (): Promise<void> => {
    stopping = true;
    watchdog?.stop();
    housekeeping?.stop();
    await restarting;
    await Promise.all([miniflare.dispose(), extensionHost.stop()]);
    rmSync(engineFile(home), { force: true });
    rmSync(sockets, { recursive: true, force: true });
    log.close();
  };

  let watchdog: ReturnType<typeof watch> | null = null;
  let housekeeping: ReturnType<typeof keepSmall> | null = null;
  try {
    await miniflare.ready;
    const answer = await askSetup(sockets, { body: migrations, timeoutMs: 60_000 });
    if (answer.status !== 200) throw new Error(`the database was not migrated: ${answer.text}`);
    const url = await miniflare.unsafeGetDirectURL(SETUP_WORKER);
    started = true;
    watchdog = watch({
      probe: () => answersInTime(sockets, probe.timeoutMs),
      everyMs: probe.everyMs,
      onFrozen: () => {
        const frozen = runningEngine(home);
        log.write('workerd does not answer: it is ended and started again');
        if (frozen !== null) process.kill(frozen.pid, 'SIGKILL');
      },
    });
    housekeeping = keepSmall({
      usage: () => usageOf(runningEngine(home)?.pid),
      collect: () => collect(sockets, probe.timeoutMs, log),
      everyMs: restMs,
    });
    return {
      url: url.origin,
      pid: () => runningEngine(home)?.pid ?? null,
      stop,
    };
  } catch (error) {
    const last = log.lastLines().at(-1);
    await stop().catch(() => {});
    throw new EngineError(
      `The engine did not start: ${explain(error)}${last === undefined ? '' : ` (${last})`}; the whole output is in ${home}/engine.log.`,
      { cause: error },
    );
  }
}

/** An engine that is gone meanwhile has nothing to collect. */
async function collect(sockets: string, timeoutMs: number, log: HomeLog): Promise<void> {
  try {
    const { status, text } = await askSetup(sockets, { method: 'DELETE', timeoutMs });
    if (status !== 200) log.write(`V8 did not collect: ${text}`);
  } catch (error) {
    log.write(`V8 did not collect: ${explain(error)}`);
  }
}

async function isReady(miniflare: Miniflare): Promise<boolean> {
  try {
    await miniflare.ready;
    return true;
  } catch {
    return false;
  }
}
