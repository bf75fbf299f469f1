import { readdirSync } from 'node:fs';
import { Agent, type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort, tempDir } from '@filepath/testkit';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import type { Upstream } from '../../../src/gateway/contract.ts';
import type { Times } from '../../../src/gateway/times.ts';
import { GOOD_SECRET, type LedgerState } from './memory-ledger.ts';

const RUNNER_TOKEN = 'runner-token-for-tests';
const SESSION = `ses_${'s'.repeat(22)}`;
const THREAD = `th_${'n'.repeat(22)}`;
export const KEY = `fpk_${SESSION}_${THREAD}_${GOOD_SECRET}`;

/** What a request carries when the runner has passed it on. */
export const AGENT = {
  'x-filepath-runner-token': RUNNER_TOKEN,
  'x-filepath-session': SESSION,
  'x-filepath-thread': THREAD,
  'x-api-key': KEY,
  'content-type': 'application/json',
};

type Setting = {
  upstream?: Partial<Upstream>;
  times?: Partial<Times>;
  grant?: number | null;
  holds?: boolean;
  /** Calls need not wait for the ledger. */
  ahead?: boolean;
};

export type TestGateway = {
  readonly url: string;
  set(setting: Setting): Promise<void>;
  ledger(): Promise<LedgerState>;
  /** The ledger when so many calls have ended and none is open. */
  ended(calls: number): Promise<LedgerState>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** A request without an answer yet. */
  ask(path: string, body: unknown): ClientRequest;
  /** The head of an answer whose body nobody reads yet. */
  open(path: string, body: unknown): Promise<IncomingMessage>;
  stop(): Promise<void>;
};

/** The gateway in workerd, with a provider and a ledger of the test's. */
export async function startGateway(): Promise<TestGateway> {
  const dir = tempDir('filepath-gateway');
  await bundle(dir.path);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const miniflare = new Miniflare({
    workers: [
      {
        name: 'gateway',
        rootPath: dir.path,
        modulesRoot: dir.path,
        modules: modulesIn(dir.path).map((path) => ({
          type: 'ESModule',
          path: join(dir.path, path),
        })),
        compatibilityDate: '2026-07-30',
        compatibilityFlags: ['nodejs_compat', 'enable_request_signal'],
        bindings: { FILEPATH_RUNNER_TOKEN: RUNNER_TOKEN, FILEPATH_ORIGINS: url },
        unsafeDirectSockets: [{ host: '127.0.0.1', port }],
      },
    ],
  });
  await miniflare.ready;
  const agent = new Agent({ keepAlive: false });
  const json = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

  const ledger = async (): Promise<LedgerState> => {
    const response = await fetch(`${url}/test/ledger`);
    return (await response.json()) as LedgerState;
  };
  const asking = (path: string, body: unknown): ClientRequest => {
    const request = sendRequest(`${url}${path}`, { method: 'POST', agent, headers: AGENT });
    request.on('error', () => undefined);
    request.end(json(body));
    return request;
  };
  return {
    url,
    ask: asking,
    set: async (setting) => {
      await fetch(`${url}/test/set`, { method: 'POST', body: JSON.stringify(setting) });
    },
    ledger,
    ended: async (calls) => {
      for (;;) {
        const state = await ledger();
        if (state.ended.length >= calls && state.open.length === 0) return state;
        await wait(10);
      }
    },
    post: (path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { ...AGENT, ...headers },
        body: json(body),
      }),
    open: (path, body) =>
      new Promise((resolve, reject) => {
        const request = asking(path, body);
        request.on('response', resolve);
        request.on('error', reject);
      }),
    stop: async () => {
      agent.destroy();
      await miniflare.dispose();
      dir.remove();
    },
  };
}

/** As the worker itself is bundled: in one file it fails at start inside zod. */
async function bundle(outdir: string): Promise<void> {
  const bare = builtinModules.filter((name) => !name.startsWith('_'));
  await build({
    entryPoints: { index: join(import.meta.dirname, 'gateway-worker.ts') },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2024',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    plugins: [
      {
        name: 'prefix-node-builtins',
        setup: (build) => {
          build.onResolve({ filter: new RegExp(`^(${bare.join('|')})$`) }, ({ path }) => ({
            path: `node:${path}`,
            external: true,
          }));
        },
      },
    ],
    logLevel: 'error',
  });
}

function modulesIn(dir: string): string[] {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const modules = files.filter((file) => file.endsWith('.js') && file !== 'index.js');
  return ['index.js', ...modules.toSorted()];
}
