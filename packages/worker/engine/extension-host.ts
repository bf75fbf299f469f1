import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { endLeftOverEngine, engineFile, runningEngine } from './engine-file.ts';
import { HomeLog } from './home-log.ts';
import { explain, loadMiniflare, workerdBinary } from './miniflare.ts';
import { memoryOf } from './process-identity.ts';
import { answersInTime } from './private-socket.ts';
import { SETUP_WORKER } from './setup-worker.ts';
import { makeSocketDirectory } from './sockets.ts';
import { watch } from './watchdog.ts';

type Setting = { readonly home: string; readonly dist: string; readonly sockets: string };

export type ExtensionHost = { stop(): Promise<void> };

type Running = { readonly socket: string; end(): Promise<void> };

/** Code that does not let go of its thread for longer than twice this is ended. */
const PROBE = { everyMs: 500, timeoutMs: 2_000 };
const MEMORY = { everyMs: 200, bytes: 512 * 1024 * 1024 };
/** Nobody calls an extension: its engine is ended, and started again when somebody does. */
const IDLE_MS = 60_000;

const NAME = 'extensions';

/** As the worker is bound to it. */
export function extensions(sockets: string) {
  return { external: { address: `unix:${join(sockets, NAME)}`, http: {} } };
}

/**
 * A second workerd for code of extensions, started by the first call. workerd holds no isolate to its time or memory,
 * and one that loops stops all of its process: here that is a process which can be ended at any moment.
 */
export async function startExtensionHost({ home, dist, sockets }: Setting): Promise<ExtensionHost> {
  const own = join(home, NAME);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  await endLeftOverEngine(own);
  const log = new HomeLog(home, 'extensions.log');
  const open = new Set<Socket>();
  let running: Promise<Running> | null = null;
  let ending: Promise<void> = Promise.resolve();
  let idle: NodeJS.Timeout | null = null;

  const end = (): Promise<void> => {
    const ended = running;
    running = null;
    const done =
      ended === null
        ? Promise.resolve()
        : ended.then(
            (one) => one.end(),
            () => {},
          );
    ending = Promise.all([ending, done]).then(() => {});
    return ending;
  };

  const start = async (): Promise<Running> => {
    await ending;
    return run({ own, dist, log, onFrozen: () => void end() });
  };

  const serve = async (socket: Socket): Promise<void> => {
    if (idle !== null) clearTimeout(idle);
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      if (open.size === 0) idle = setTimeout(() => void end(), IDLE_MS).unref();
    });
    try {
      running ??= start();
      const there = connect((await running).socket);
      there.on('error', () => socket.destroy());
      there.on('close', () => socket.destroy());
      socket.on('close', () => there.destroy());
      socket.pipe(there).pipe(socket);
    } catch (error) {
      running = null;
      log.write(`The engine of extensions did not start: ${explain(error)}`);
      socket.destroy();
    }
  };

  const server = createServer({ pauseOnConnect: false }, (socket) => void serve(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(join(sockets, NAME), resolve);
  });
  return {
    async stop() {
      if (idle !== null) clearTimeout(idle);
      server.close();
      for (const socket of open) socket.destroy();
      await end();
      log.close();
    },
  };
}

type Run = {
  readonly own: string;
  readonly dist: string;
  readonly log: HomeLog;
  readonly onFrozen: () => void;
};

async function run({ own, dist, log, onFrozen }: Run): Promise<Running> {
  const script = readFileSync(join(dist, 'extension-host.js'), 'utf8');
  const sockets = makeSocketDirectory(own);
  const { Miniflare, Log, LogLevel } = loadMiniflare();
  const miniflare = new Miniflare({
    cf: false,
    logRequests: false,
    log: new Log(LogLevel.NONE),
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      log.read(stdout);
      log.read(stderr);
    },
    unsafeRuntimeEnv: {
      FILEPATH_WORKERD: workerdBinary(),
      FILEPATH_ENGINE_FILE: engineFile(own),
      FILEPATH_SOCKETS: sockets,
    },
    workers: [
      {
        // The name by which the private socket is asked whether workerd still answers.
        name: SETUP_WORKER,
        compatibilityDate: '2026-07-30',
        modules: true,
        script,
        workerLoaders: { LOADER: {} },
        outboundService: { network: { allow: [], deny: ['0.0.0.0/0', '::/0'] } },
      },
    ],
  });
  await miniflare.ready;
  const ended = (why: string): void => {
    log.write(`The engine of extensions is ended: ${why}`);
    onFrozen();
  };
  const watchdog = watch({
    ...PROBE,
    probe: () => answersInTime(sockets, PROBE.timeoutMs),
    onFrozen: () => ended('it does not answer'),
  });
  const memory = setInterval(() => {
    const pid = runningEngine(own)?.pid;
    if (pid !== undefined && memoryOf(pid) > MEMORY.bytes) ended('it uses too much memory');
  }, MEMORY.everyMs).unref();
  return {
    socket: join(sockets, 'entry'),
    async end() {
      watchdog.stop();
      clearInterval(memory);
      await miniflare.dispose();
      rmSync(engineFile(own), { force: true });
      rmSync(sockets, { recursive: true, force: true });
    },
  };
}
